"""1.1 cron_next_ms, interval_next_ms: the two next runs, for a rule, a gap and a now that no notebook shows.

Everyone is asked the same. The numbers stand here once, and the library works out what is right. What is expected is
told in words: the number itself is what is asked for.

Source: exercises, the table; seed 001, §1 and §2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from random import Random
from typing import TypeAlias

from echomq_lab.cadence import Cron, Interval
from echomq_lab.checks import instants
from echomq_lab.checks.desk import Desk, Heard
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.clock import instant_ms

#: Every Wednesday at 06:20, a gap of 45 minutes, and now: Wednesday 11 March 2026, 06:20:13.250, a slot just gone by.
EXPR = "20 6 * * 3"
EVERY_MS = 2_700_000
NOW_MS = 1_773_210_013_250
#: What can be an answer at all: any millisecond of that year.
YEAR_MS = range(instant_ms("2026-01-01T00:00:00Z"), instant_ms("2027-01-01T00:00:00Z"))

_QUARTER_MS, _HOUR_MS = 900_000, 3_600_000
#: What the clock of some zone may be ahead by: any quarters of an hour up to 14 hours.
_OFFSETS_MS = [quarters * _QUARTER_MS for quarters in range(-56, 57) if quarters]

#: Nothing is drawn: there is one case, and it is the exercise's own.
Case: TypeAlias = None


def _cron_ms() -> int:
    return Cron(EXPR).next_at(NOW_MS)


def _interval_ms() -> int:
    return Interval(EVERY_MS).next_at(NOW_MS)


@cache
def _cron_elsewhere() -> frozenset[int]:
    """The slot as the wall clock of another zone has it, and as somebody reads it who mixes that clock with UTC."""
    ahead = [(offset_ms, Cron(EXPR).next_at(NOW_MS + offset_ms)) for offset_ms in _OFFSETS_MS]
    return frozenset([at_ms - offset_ms for offset_ms, at_ms in ahead] + [_cron_ms() + each for each in _OFFSETS_MS])


@cache
def _interval_elsewhere() -> frozenset[int]:
    return frozenset(_interval_ms() + offset_ms for offset_ms in _OFFSETS_MS)


def _says(name: str, at_ms: Callable[[], Iterable[int]], words: str) -> Mistake[Case, Heard]:
    """The mistake of which an answer is one of these instants."""
    return Mistake(name, words, lambda _, heard: instants.is_number(heard.value) and heard.value in at_ms())


def _local(at_ms: Callable[[], frozenset[int]]) -> Mistake[Case, Heard]:
    words = (
        "That is the time on the wall clock of another zone. Now, the rule and the registry are in UTC here: read them "
        "and write them there, whatever the clock on your wall says."
    )
    return _says("local time", at_ms, words)


def _kinds(name: str, expected_ms: Callable[[], int]) -> tuple[Mistake[Case, Heard], ...]:
    """What else than a score comes: another type, another scale."""
    return (
        *instants.confusions(lambda _: expected_ms())[:1],
        Mistake(
            "another scale",
            f"{name} is no instant of 2026 in Unix milliseconds. Those have 13 digits, and they begin with 17.",
            lambda _, heard: type(heard.value) is int,
        ),
        *(replace(each, says=each.says.replace("The answer", name, 1)) for each in instants.kinds()[:-1]),
    )


def _one(_: Random) -> list[Case]:
    return [None]


def _ask(name: str) -> Callable[[Desk, Case], Heard]:
    return lambda desk, _: desk.value(name)


def _given(_: Case) -> str:
    return f"the rule {EXPR} and a gap of 45 minutes; now, when the interval last ran, is {instants.say(NOW_MS)}"


def _is_score(case: Case, heard: Heard) -> Wrong | None:
    """Why what was heard can be no score of that year."""
    if type(heard.value) is int and heard.value in YEAR_MS:
        return None
    return Wrong(_given(case), heard.told, "an int of Unix milliseconds, an instant of 2026")


def _compares(expected_ms: Callable[[], int], words: str) -> Callable[[Case, Heard], Wrong | None]:
    def judge(case: Case, heard: Heard) -> Wrong | None:
        wrong = instants.compare(NOW_MS, expected_ms(), heard, _given(case))
        return wrong and replace(wrong, expected=words, marks=None)

    return judge


_KIND_HINTS = (
    "What kind of value does the registry store for a next run?",
    "Look at what stands on the right of the equals sign: text, a datetime, a number with a point?",
    "One second is 1000 ms, and an int has no point: 1767603600000 is 09:00 UTC on 5 January 2026.",
)

EXERCISE = Exercise(
    "1.1",
    "The two next runs",
    (Name("cron_next_ms", "a whole number"), Name("interval_next_ms", "a whole number")),
    (
        Test(
            "cron: type",
            1,
            "cron_next_ms is no int.",
            "Look at type(cron_next_ms).",
            _KIND_HINTS,
            _one,
            _ask("cron_next_ms"),
            _is_score,
            _given,
            mistakes=_kinds("cron_next_ms", _cron_ms),
            of=("cron_next_ms",),
        ),
        Test(
            "interval: type",
            1,
            "interval_next_ms is no int. A score is a whole number of milliseconds: no text, no datetime, no float.",
            "Look at type(interval_next_ms).",
            _KIND_HINTS,
            _one,
            _ask("interval_next_ms"),
            _is_score,
            _given,
            mistakes=_kinds("interval_next_ms", _interval_ms),
            of=("interval_next_ms",),
        ),
        Test(
            "cron: value",
            1,
            "cron_next_ms is not the earliest slot at or after now.",
            "Read the five fields aloud: minute, hour, day of month, month, weekday. Then look at now, to the ms.",
            (
                "Which day of the week does the rule name, and is that day's slot still ahead?",
                "Compare the time of day of the slot with now's, seconds and milliseconds included.",
                "Seen from 09:00:00.001, the next slot of 0 9 * * * is tomorrow's. Here a slot comes once a week.",
            ),
            _one,
            _ask("cron_next_ms"),
            _compares(_cron_ms, f"the next slot of {EXPR} at or after that now"),
            _given,
            mistakes=(
                _says(
                    "back in time",
                    lambda: [NOW_MS // 60_000 * 60_000],
                    "That slot has begun already: now is 13 seconds and 250 ms past it. The next run is the earliest "
                    "slot at or after now.",
                ),
                _says(
                    "Monday as 0",
                    lambda: [Cron("20 6 * * 4").next_at(NOW_MS)],
                    "That is tomorrow's 06:20, a Thursday. Either you count weekdays from Monday as 0, and in cron "
                    "Sunday is 0 and Monday 1; or you read the rule as daily: its last field names one day of a week.",
                ),
                _says(
                    "the gap for the slot",
                    lambda: [_interval_ms()],
                    "That is the interval's next run, under the name of the slot.",
                ),
                _local(_cron_elsewhere),
            ),
            of=("cron_next_ms",),
        ),
        Test(
            "interval: value",
            1,
            "interval_next_ms is not the previous run plus the gap.",
            "Write down when the previous run was, to the millisecond, and count on from there.",
            (
                "What is an interval anchored to?",
                "The previous run was at exactly now. Did the seconds and milliseconds of now get into your number?",
                "A run at 09:05:07.500 with a gap of 15 minutes is followed by one at 09:20:07.500.",
            ),
            _one,
            _ask("interval_next_ms"),
            _compares(_interval_ms, "the run that a gap of 45 minutes puts after the one at that now"),
            _given,
            mistakes=(
                _says(
                    "the first run",
                    lambda: [NOW_MS],
                    "That is now itself: the first run of a registration with first_in_ms 0. Here a run was at exactly "
                    "now, and the one after it is asked for.",
                ),
                _says(
                    "from the next full hour",
                    lambda: [-(-NOW_MS // _HOUR_MS) * _HOUR_MS + extra_ms for extra_ms in (0, EVERY_MS)],
                    "You count from the next full hour. An interval knows no places on the clock: it counts from the "
                    "previous run, wherever that was.",
                ),
                _says(
                    "a rounded now",
                    lambda: [NOW_MS // unit_ms * unit_ms + EVERY_MS for unit_ms in (1_000, 60_000)],
                    "The seconds or milliseconds of now were dropped on the way. The previous run was at exactly now, "
                    "so they stay in every later one.",
                ),
                _says(
                    "the slot for the gap",
                    lambda: [_cron_ms()],
                    "That is the rule's next slot, under the name of the interval's run.",
                ),
                _local(_interval_elsewhere),
            ),
            of=("interval_next_ms",),
        ),
    ),
)
