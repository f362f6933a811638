"""What a notebook calls: `check("1.3")`, `hint("1.3")`, `progress()`.

The answers are tried in a fork of the kernel, so a cell that checks comes back within five seconds whatever they do,
and leaves the kernel as it was. Where nbgrader runs the notebook a check answers the points, which it takes for partial
credit. What runs on stores runs on fakeredis, and on an embedded Valkey where the package for
one is installed: never on a server of the reader's, which a student's script might stop.

Source: exercises, "What a check is"; widgets, "must also make sense when it cannot run"; grading, "nbgrader's format".
"""

from __future__ import annotations

import html
import os
import sys
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from echomq_lab.checks import saved
from echomq_lab.checks.exercise import Exercise, Test
from echomq_lab.checks.exercises import IDS, exercise
from echomq_lab.checks.judge import judge
from echomq_lab.checks.pupil import Forked
from echomq_lab.checks.verdict import Status, Verdict
from echomq_lab.embedded import EmbeddedServer
from echomq_lab.errors import StoreError
from echomq_lab.readout import Table
from echomq_lab.store import FAKEREDIS

#: What nbgrader sets in the environment of the kernels that it grades or validates in.
_NBGRADER = "NBGRADER_EXECUTION"
_verdicts: dict[str, Verdict] = {}
#: How many hints were given, by exercise and test.
_given: dict[tuple[str, str], int] = {}


@dataclass(frozen=True, slots=True, repr=False)
class Hint:
    """One hint: which exercise and test it is for, which of how many, its words."""

    exercise: str
    test: str
    number: int
    most: int
    words: str

    def __repr__(self) -> str:
        return f"Hint {self.number} of {self.most} for {self.exercise}, {self.test}: {self.words}"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>"


def check(exercise_id: str) -> Verdict | float:
    """Check the answers to an exercise that this notebook holds, with the public seed.

    Answers the verdict; where nbgrader runs the notebook, shows it and answers the points that it earns.
    Raises `ArgumentError` for an id that no exercise has.
    """
    verdict = verdict_on(exercise_id, sys._getframe(1).f_globals)
    if _NBGRADER not in os.environ:
        return verdict
    from IPython.display import display

    display(verdict)  # type: ignore[no-untyped-call]
    return float(verdict.earned)


def verdict_on(exercise_id: str, caller: dict[str, Any]) -> Verdict:
    """The verdict on the answers in this notebook, or among the caller's names where there is none.

    Raises `ArgumentError` for an id that no exercise has.
    """
    asked = exercise(exercise_id)
    names = _names(caller)
    with Forked(names) as pupil:
        verdict = judge(asked, pupil, stores=stores(asked))
    if verdict.status is Status.TIMED_OUT and asked.on_store:
        _start_again()
    if note := saved.note(asked.id, names):
        verdict = replace(verdict, note=note)
    _verdicts[asked.id] = verdict
    return verdict


def hint(exercise_id: str) -> Hint:
    """The next hint for the test at which the last check of an exercise failed; the last one, again, after three.

    Before any check, and for an exercise without answers, hints are those of its first test.
    Raises `ArgumentError` for an id that no exercise has.
    """
    asked = exercise(exercise_id)
    verdict = _verdicts.get(asked.id)
    if verdict is not None and verdict.status is Status.RIGHT:
        return Hint(asked.id, "all tests", 1, 1, "nothing is left to hint at: your answer is right.")
    test = _failing(asked, verdict)
    number = min(_given.get((asked.id, test.id), 0) + 1, len(test.hints))
    _given[asked.id, test.id] = number
    return Hint(asked.id, test.id, number, len(test.hints), test.hints[number - 1])


def progress() -> Table:
    """Every exercise with the points of its last check in this notebook."""
    rows = []
    for asked in map(exercise, IDS):
        verdict = _verdicts.get(asked.id)
        status = "not checked in this notebook" if verdict is None else str(verdict.status)
        rows.append((asked.id, asked.title, status, f"{verdict.earned if verdict else 0} of {asked.points}"))
    earned = sum(verdict.earned for verdict in _verdicts.values())
    notes = ("`echomq-lab check` in a terminal runs whole notebooks and adds them up.",)
    return Table(f"{earned} of 100 points", ("exercise", "asks for", "status", "points"), tuple(rows), notes)


def stores(asked: Exercise) -> tuple[str, ...]:
    """The stores that an exercise is tried on here: fakeredis, then Valkey where it can be started."""
    if not asked.on_store:
        return (FAKEREDIS,)
    server = _valkey()
    return (FAKEREDIS,) if server is None else (FAKEREDIS, server.url)


@cache
def _valkey() -> EmbeddedServer | None:
    """A Valkey of the checks' own, for as long as this kernel lives; None where there is none."""
    try:
        return EmbeddedServer()
    except StoreError:
        return None


def _start_again() -> None:
    """Let go of the Valkey, which may be in a script without end; the next check starts another."""
    if server := _valkey():
        server.kill()
    _valkey.cache_clear()


def _failing(asked: Exercise, verdict: Verdict | None) -> Test[Any, Any]:
    failed = verdict.failure.test if verdict is not None and verdict.failure else ""
    return next((test for test in asked.tests if test.id == failed), asked.tests[0])


def _names(caller: dict[str, Any]) -> dict[str, Any]:
    """The names of the notebook; of the calling module where there is none."""
    shell = saved.shell()
    return caller if shell is None else shell.user_ns
