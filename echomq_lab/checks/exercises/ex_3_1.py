"""3.1 start_to_start, start_to_finish: the first four runs by two rules, for numbers that no notebook shows.

What is expected is what three lanes of the library's did on a store. It is told in words: the numbers themselves are
what is asked for.

Source: exercises, the table; seed 000, "Producing the next run".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from echomq_lab.checks import instants
from echomq_lab.checks.desk import QUEUE, Desk, Heard
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.checks.plain import Odd
from echomq_lab.clock import LAB_DAY_MS, FixedClock
from echomq_lab.scenario import cadence_lanes
from echomq_lab.store import FAKEREDIS, connect
from echomq_lab.wording import clock_time, span

EVERY_MS, RUN_MS = 1_200_000, 420_000
#: 10:10 UTC of the lab's day.
FIRST_MS = LAB_DAY_MS + 36_600_000
RUNS = 4
#: Types that are asked for their items one by one.
_LAZY = ("range", "generator", "map", "filter", "zip", "islice", "count", "accumulate")


@cache
def runs(lane: str, run_ms: int = RUN_MS, more: int = 0) -> tuple[int, ...]:
    """The first four runs of a lane, "start" or "finish", and `more`."""
    with connect(FAKEREDIS, clock=FixedClock(FIRST_MS)) as conn:
        run = cadence_lanes(conn, QUEUE, EVERY_MS, run_ms, cycles=RUNS - 1 + more, recorded=False)
    return next(each.marks_ms for each in run.lanes if each.kind == lane)


def _ask(name: str) -> Callable[[Desk, None], Heard]:
    return lambda desk, _: desk.value(name)


def _items(heard: Heard) -> list[Any]:
    """The items of a list; none of anything else."""
    return list(heard.value) if type(heard.value) in (list, tuple) else []


def _say(items: list[Any]) -> str:
    return "\n".join(instants.say(each) for each in items)


def _given(_: None) -> str:
    first = f"{FIRST_MS} ({clock_time(FIRST_MS)} UTC)"
    return f"every {span(EVERY_MS)} ({EVERY_MS} ms), each run taking {span(RUN_MS)} ({RUN_MS} ms), first at {first}"


def _judge(lane: str) -> Callable[[None, Heard], Wrong | None]:
    words = f"{RUNS} runs: the first, and each later one a period after the {lane} of the run before"

    def judge(_: None, heard: Heard) -> Wrong | None:
        items = _items(heard)
        whole = all(type(each) is int for each in items)
        if whole and tuple(items) == runs(lane):
            return None
        came = _say(items) if whole and 0 < len(items) <= 2 * RUNS else heard.told
        return Wrong(_given(None), f"{len(items)} items:\n{came}" if items and len(items) != RUNS else came, words)

    return judge


def _came(expected: Callable[[], tuple[float, ...]]) -> Callable[[None, Heard], bool]:
    """Whether what came is what another rule gives."""

    def shows(_: None, heard: Heard) -> bool:
        items = _items(heard)
        return all(map(instants.is_number, items)) and tuple(items) == expected()

    return shows


def _all(kind: Callable[[Any], bool]) -> Callable[[None, Heard], bool]:
    def shows(_: None, heard: Heard) -> bool:
        return bool(_items(heard)) and all(map(kind, _items(heard)))

    return shows


def _kinds(lane: str) -> tuple[Mistake[None, Heard], ...]:
    def later() -> tuple[int, ...]:
        return runs(lane)[1:]

    def later_and_one_more() -> tuple[int, ...]:
        return runs(lane, more=1)[1:]

    return (
        Mistake(
            "no list yet",
            "What stands there makes its items only when it is asked for them. Write list(...) around it.",
            lambda _, heard: type(heard.value) is Odd and heard.value.kind in _LAZY,
        ),
        Mistake(
            "no list",
            "The answer is no list. Write the four instants between square brackets, with commas between them.",
            lambda _, heard: type(heard.value) not in (list, tuple),
        ),
        Mistake(
            "datetimes",
            "The list holds datetimes. What the registry stores is a score, a number: the instant's Unix milliseconds.",
            _all(lambda each: type(each) is Odd and each.kind in ("datetime", "Timestamp", "datetime64")),
        ),
        Mistake(
            "text",
            "The list holds text. Write each instant as an int of Unix milliseconds.",
            _all(lambda each: type(each) is str),
        ),
        Mistake(
            "floats",
            "Those are the right instants as floats. Times are whole milliseconds: write ints.",
            lambda _, heard: (
                any(type(each) is float for each in _items(heard)) and _came(lambda: runs(lane))(None, heard)
            ),
        ),
        Mistake(
            "seconds for milliseconds",
            "Those are the right instants in seconds. Scores are Unix milliseconds: 1000 times as many.",
            _came(lambda: tuple(each / 1000 for each in runs(lane))),
        ),
        Mistake(
            "without the first",
            "The first run is left out. The list begins with it: it is the first of the four.",
            lambda _, heard: any(_came(without)(None, heard) for without in (later, later_and_one_more)),
        ),
        Mistake(
            "another number of runs",
            "Four runs are asked for, the first included, and your list holds another number of items.",
            lambda _, heard: len(_items(heard)) != RUNS,
        ),
    )


def _without_period() -> tuple[int, ...]:
    """As somebody counts who begins the next run where the last one ended."""
    return tuple(FIRST_MS + number * RUN_MS for number in range(RUNS))


EXERCISE = Exercise(
    "3.1",
    "start_to_start and start_to_finish",
    (Name("start_to_start", "a list of four Unix ms"), Name("start_to_finish", "a list of four Unix ms")),
    (
        Test(
            "start to start",
            2,
            "start_to_start: those are not the first four runs when the period is added to the start of each.",
            "Write the four clock times down first, then make milliseconds of them.",
            (
                "Which instant is the period added to: the one at which a run begins, or the one at which it ends?",
                "Only two of the three numbers matter for this list. Which one does not?",
                "§3 of this notebook: from 09:00, every fifteen minutes, 09:15. The four minutes of work play no part.",
            ),
            lambda _: [None],
            _ask("start_to_start"),
            _judge("start"),
            _given,
            mistakes=(
                *_kinds("start"),
                Mistake(
                    "start-to-finish for both",
                    "start_to_start waits for the end of each run: that is start-to-finish. A period that counts from "
                    "the start does not ask how long a run takes.",
                    _came(lambda: runs("finish")),
                ),
            ),
            of=("start_to_start",),
        ),
        Test(
            "start to finish",
            2,
            "start_to_finish: those are not the first four runs when the period is added to the finish of each.",
            "Write down for each run when it begins and when it ends, and count the period from there.",
            (
                "When does the first run end, and what happens one period later?",
                "How far apart are two runs of your list, and how far apart should they be?",
                "§3 of this notebook: 09:00, four minutes of work, fifteen minutes of pause: 09:19.",
            ),
            lambda _: [None],
            _ask("start_to_finish"),
            _judge("finish"),
            _given,
            mistakes=(
                *_kinds("finish"),
                Mistake(
                    "start-to-start for both",
                    "start_to_finish does not wait for the end of a run: that is start-to-start. Here the period "
                    "begins when the run is done.",
                    _came(lambda: runs("start")),
                ),
                Mistake(
                    "the run time twice",
                    "The run time is added twice in each cycle. A run takes it once, and then the period begins.",
                    _came(lambda: runs("finish", 2 * RUN_MS)),
                ),
                Mistake(
                    "without the period",
                    "The next run begins where the last one ended. Between the two there is the period.",
                    _came(_without_period),
                ),
            ),
            of=("start_to_finish",),
        ),
    ),
)
