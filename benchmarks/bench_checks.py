"""What a check costs: how long a cell with `check("1.3")` takes, right answers and wrong ones.

    python -m benchmarks checks

Each exercise is checked with its first right answer and with every wrong one of `tests/answers`, on fakeredis, in a
fork of this process as a notebook's kernel forks, in turns. Half of all checks are to take less than 300 ms. The
slowest is to take less than 2 s, those aside that end because the answer itself does not: they take as long as the
limit. Shown beside them, without a bar: the right answers that run on stores with a Valkey beside fakeredis, and the
first check of a fresh process, which imports everything and starts that Valkey.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter_ns
from typing import Any

from benchmarks.table import Limit, Measured, Row
from echomq_lab.checks.exercises import IDS, exercise
from echomq_lab.checks.judge import judge
from echomq_lab.checks.pupil import Forked
from echomq_lab.checks.verdict import Status
from echomq_lab.store import FAKEREDIS, VALKEY, connect

ROWS = (
    Row("a check, the median", "ms", Limit("under", 300)),
    Row("a check, the slowest", "ms", Limit("under", 2_000)),
)
REPEATS = 5
ANSWERS = Path(__file__).resolve().parent.parent / "tests" / "answers"

FIRST = """
from time import perf_counter_ns
began = perf_counter_ns()
from echomq_lab import scripts
from echomq_lab.checks import check
REGISTER_LUA = scripts.source("register")
verdict = check("2.3")
assert verdict.earned == verdict.points, verdict
print((perf_counter_ns() - began) / 1e6)
"""

#: An exercise, the file of an answer to it, and the names that it defines.
Tried = tuple[str, str, dict[str, Any]]
#: How long each check took, in ms, with the answer's file.
Took = list[tuple[float, str]]


def answers() -> list[Tried]:
    """The first right answer to each exercise, and every wrong one."""

    def found() -> Iterator[Tried]:
        for each in IDS:
            files = sorted((ANSWERS / each).glob("right_*.py"))[:1] + sorted((ANSWERS / each).glob("wrong_*.py"))
            for path in files:
                names: dict[str, Any] = {"__name__": "__main__"}
                exec(compile(path.read_text("utf-8"), str(path), "exec"), names)
                yield each, path.stem, names

    return list(found())


def check_ms(exercise_id: str, names: dict[str, Any], stores: Sequence[str]) -> tuple[float, Status]:
    began = perf_counter_ns()
    with Forked(names) as pupil:
        status = judge(exercise(exercise_id), pupil, stores=stores).status
    return (perf_counter_ns() - began) / 1e6, status


def measure(tried: list[Tried], stores: Sequence[str]) -> tuple[dict[str, Took], Took]:
    """What the checks took by exercise, and what those took that ended by the limit."""
    times: dict[str, Took] = {}
    late: Took = []
    for repeat in range(REPEATS + 1):
        for exercise_id, answer, names in tried:
            took_ms, status = check_ms(exercise_id, names, stores)
            if repeat:  # the first round warms up
                (late if status is Status.TIMED_OUT else times.setdefault(exercise_id, [])).append((took_ms, answer))
    return times, late


def first_check_ms() -> float:
    done = subprocess.run([sys.executable, "-c", FIRST], check=True, capture_output=True, text=True)
    return float(done.stdout)


def run() -> list[Measured]:
    """Print what the checks of each exercise took; answer the rows."""
    tried = answers()
    if not tried:
        return [row.missing("there are no answers in tests/answers") for row in ROWS]
    times, late = measure(tried, (FAKEREDIS,))
    print(f"{'exercise':<42}{'checks':>7}{'p50':>11}{'worst':>12}")
    for exercise_id, found in times.items():
        _show(f"{exercise_id} {exercise(exercise_id).title}", found)
    if late:
        _show("ended by the limit", late)
    on_store = [each for each in tried if exercise(each[0]).on_store and each[1].startswith("right_")]
    if on_store:
        with connect(VALKEY) as conn:
            beside, _ = measure(on_store, (FAKEREDIS, conn.url))
        _show("right, with a Valkey beside it", [took for found in beside.values() for took in found])
    _show("first of a process", [(first_check_ms(), "") for _ in range(REPEATS)])
    every = [took_ms for found in times.values() for took_ms, _ in found]
    return [row.measured(told) for row, told in zip(ROWS, (median(every), max(every)), strict=True)]


def _show(name: str, took: Took) -> None:
    worst_ms, answer = max(took)
    print(f"{name:<42}{len(took):>7}{median(ms for ms, _ in took):>8.1f} ms{worst_ms:>9.1f} ms  {answer}".rstrip())
