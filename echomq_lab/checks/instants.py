"""Instants in checks: drawn, told, compared, made simpler, and the ways in which they often come out wrong.

Source: exercises, "Misconceptions": seconds for milliseconds; a datetime; a float; local time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from echomq_lab.checks.desk import Heard, told
from echomq_lab.checks.exercise import Marks, Mistake, Wrong
from echomq_lab.checks.plain import Odd
from echomq_lab.checks.pupil import ZONE
from echomq_lab.clock import EPOCH, LAB_DAY_MS
from echomq_lab.wording import UnshowableError, clock_time, day, in_calendar

C = TypeVar("C")

_DAY_MS, _HOUR_MS, _MINUTE_MS, _SECOND_MS = 86_400_000, 3_600_000, 60_000, 1_000
_UNITS = (_DAY_MS, _HOUR_MS, _MINUTE_MS, _SECOND_MS, 1)
#: Instants are drawn from the year that begins with the lab's day.
_DAYS = 365
#: What `pupil.ZONE` is for, in words.
AWAY = "The check sets this machine's zone to St. John's, Newfoundland, for its run, so that local time shows."


def drawn(rng: Random) -> int:
    """Any millisecond of the year that begins with the lab's day."""
    return LAB_DAY_MS + rng.randrange(_DAYS * _DAY_MS)


def simpler(at_ms: int) -> Iterator[int]:
    """Simpler instants than one, the simplest first: of a rounder unit, or as round and earlier in the lab's year."""
    rank = _rank(at_ms)
    for unit in _UNITS[: rank + 1]:
        for each in (LAB_DAY_MS, at_ms // unit * unit):
            if each >= LAB_DAY_MS and (_rank(each), each) < (rank, at_ms):
                yield each
    unit, away_ms = _UNITS[rank], at_ms - LAB_DAY_MS
    while away_ms > unit:
        away_ms = away_ms // 2 // unit * unit
        yield at_ms - max(away_ms, unit)


def _rank(at_ms: int) -> int:
    return next(rank for rank, unit in enumerate(_UNITS) if at_ms % unit == 0)


def say(at_ms: Any, tz: str = "UTC") -> str:
    """An instant as a number and on the clock: 1767603600000 (Monday 5 January 2026, 09:00 UTC)."""
    if not in_calendar(at_ms):
        return told(at_ms)
    try:
        return f"{at_ms} ({day(at_ms, tz)}, {clock_time(at_ms, tz)} {tz})"
    except UnshowableError:
        return told(at_ms)


def compare(now_ms: int, expected_ms: int, heard: Heard, given: str, tz: str = "UTC") -> Wrong | None:
    """Why the instant that was heard is wrong. A float of the same value passes: its type is asked apart."""
    value = heard.value
    if is_number(value) and value == expected_ms:
        return None
    came = say(int(value), tz) if is_number(value) and in_calendar(int(value)) else heard.told
    marks = Marks(now_ms, (expected_ms,), (int(value),) if is_number(value) else (), tz)
    return Wrong(given, came, say(expected_ms, tz), marks)


def is_number(value: Any) -> bool:
    """Whether a value is a number and no truth value."""
    return type(value) in (int, float)


def whole(heard: Heard, given: str) -> Wrong | None:
    """Why what was heard is no int."""
    return None if type(heard.value) is int else Wrong(given, heard.told, "an int of Unix milliseconds")


def kinds() -> tuple[Mistake[Any, Heard], ...]:
    """What else than an int often comes."""
    return (
        Mistake(
            "a float",
            "The answer is a float. Times are whole milliseconds: above 2^53 a float skips some, and a key or an "
            "argument made of one reads '1767603600000.0'.",
            lambda _, heard: type(heard.value) is float,
        ),
        Mistake(
            "a datetime",
            "The answer is a datetime. What the registry stores is a score, a number: the instant's Unix milliseconds.",
            lambda _, heard: type(heard.value) is Odd and heard.value.kind in ("datetime", "Timestamp", "datetime64"),
        ),
        Mistake(
            "far too large",
            "That int is far too large for an instant: Unix milliseconds have 13 digits until the year 2286.",
            lambda _, heard: type(heard.value) is Odd and heard.value.kind == "int",
        ),
        Mistake(
            "nothing returned",
            "The function returns nothing. What is printed is for people; the caller gets what `return` says.",
            lambda _, heard: heard.value is None,
        ),
    )


def seconds_as_float(expected: Callable[[C], int]) -> Mistake[C, Heard]:
    """Two mistakes in one: no int, and on another scale."""
    return Mistake(
        "a float of seconds",
        "That is a float of the right instant in seconds. Scores are ints of Unix milliseconds: 1000 times as many.",
        lambda case, heard: type(heard.value) is float and abs(heard.value - expected(case) / 1000) < 1,
    )


def confusions(expected: Callable[[C], int]) -> tuple[Mistake[C, Heard], ...]:
    """Ways in which an instant is right on another scale or another clock."""
    return (
        Mistake(
            "seconds for milliseconds",
            "That is the right instant in seconds. Scores are Unix milliseconds: 1000 times as many.",
            lambda case, heard: is_number(heard.value) and abs(heard.value - expected(case) / 1000) < 1,
        ),
        Mistake(
            "local time",
            "That is the right time on this machine's own clock, read as if it were UTC. A datetime without a zone "
            f"takes the zone of whatever machine it runs on. {AWAY}",
            lambda case, heard: (
                is_number(heard.value) and heard.value != expected(case) and _is_local(heard.value, expected(case))
            ),
        ),
    )


def _is_local(value: float, expected_ms: int) -> bool:
    """Whether a value is off by the offset of the zone that the answers run in, on either side of a clock change."""
    near = EPOCH + timedelta(milliseconds=expected_ms)
    offsets = {
        (near + timedelta(days=days)).astimezone(ZoneInfo(ZONE)).utcoffset() or timedelta(0) for days in (-1, 0, 1)
    }
    return any(abs(value - expected_ms) == abs(offset / timedelta(milliseconds=1)) for offset in offsets)


def utc(at_ms: int) -> datetime:
    """An instant as an aware datetime."""
    return datetime.fromtimestamp(at_ms / 1000, UTC)
