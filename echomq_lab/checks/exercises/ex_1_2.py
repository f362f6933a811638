"""1.2 next_interval: the next run is the previous run plus the gap.

Source: exercises, the table; seed 001, §2.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from echomq_lab.cadence import Interval
from echomq_lab.checks import instants
from echomq_lab.checks.desk import Desk, Heard
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong

#: The previous run and the gap, in ms.
Case = tuple[int, int]

_HOUR_MS = 3_600_000
_GAPS_MS = (1, 1_000, 60_000, 300_000, 900_000, _HOUR_MS, 86_400_000)


def _cases(rng: Random) -> list[Case]:
    return [(instants.drawn(rng), rng.choice(_GAPS_MS[2:]) + rng.choice((0, 0, 1_500, 77))) for _ in range(5)]


def _ask(desk: Desk, case: Case) -> Heard:
    return desk.call("next_interval", *case)


def _given(case: Case) -> str:
    return f"next_interval({case[0]}, {case[1]}), the previous run at {instants.say(case[0])}"


def _expected(case: Case) -> int:
    prev_ms, every_ms = case
    return Interval(every_ms).next_at(prev_ms)


def _simpler(case: Case) -> Iterator[Case]:
    prev_ms, every_ms = case
    yield from ((prev_ms, gap_ms) for gap_ms in _GAPS_MS if gap_ms < every_ms)
    yield from ((earlier_ms, every_ms) for earlier_ms in instants.simpler(prev_ms))


def _judge(case: Case, heard: Heard) -> Wrong | None:
    return instants.compare(case[0], _expected(case), heard, _given(case))


def _whole(case: Case, heard: Heard) -> Wrong | None:
    return instants.whole(heard, _given(case))


_MISTAKES = (
    *instants.confusions(_expected),
    Mistake(
        "from the next full hour",
        "You count from the next full hour. An interval knows no places on the clock: it counts from the previous run, "
        "wherever that was.",
        lambda case, heard: heard.value == -(-case[0] // _HOUR_MS) * _HOUR_MS + case[1],
    ),
    Mistake(
        "the first run",
        "That is the previous run itself: the run of a registration with first_in_ms 0. The next one is a gap later.",
        lambda case, heard: heard.value == case[0],
    ),
    Mistake(
        "on the clock's marks",
        "You answer the next multiple of the gap, as if an interval had slots on the clock. It counts from the "
        "previous run, wherever that was.",
        lambda case, heard: heard.value == (case[0] // case[1] + 1) * case[1],
    ),
    Mistake(
        "the gap made ms twice",
        "You multiply the gap by 1000, and it is in milliseconds already.",
        lambda case, heard: heard.value == case[0] + case[1] * 1000,
    ),
)

EXERCISE = Exercise(
    "1.2",
    "next_interval",
    (Name("next_interval", "a function", "(prev_ms, every_ms)"),),
    (
        Test(
            "type",
            1,
            "The answer is no int.",
            "Look at what your function returns for one call: next_interval(0, 1000).",
            (
                "What kind of value goes into the registry as a score?",
                "Look at the line with `return`: what is the type of what stands there?",
                "Both arguments are ints of milliseconds; an int plus an int is an int.",
            ),
            _cases,
            _ask,
            _whole,
            _given,
            simpler=_simpler,
            mistakes=(instants.seconds_as_float(_expected), *instants.kinds()),
        ),
        Test(
            "value",
            3,
            "That is not the previous run plus the gap.",
            "Take the counter-example and do it by hand: where does the gap begin?",
            (
                "What is an interval anchored to: the clock, or its own previous run?",
                "Only the two arguments are needed: when the previous run was, and how long the gap is.",
                "§2 of this notebook: at 09:05 with a gap of 900,000 ms comes 09:20. What was added to what?",
            ),
            _cases,
            _ask,
            _judge,
            _given,
            simpler=_simpler,
            mistakes=_MISTAKES,
        ),
    ),
)
