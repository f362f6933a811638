"""What time it is, as integer Unix milliseconds.

A `SystemClock` follows the machine. A `FixedClock` stands still until the reader moves it, so that a run repeats
exactly; verbs that EchoMQ runs on the server's clock take their time from it as well (wire contract, "Where the
lab goes beyond EchoMQ").

Source: architecture, "Rooms"; seed 001, the fixed clock at 08:50.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, date, datetime, timedelta
from typing import Protocol

from echomq_lab.errors import ArgumentError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: The day that a bare "08:50" belongs to: Monday 2026-01-05, UTC.
LAB_DAY_MS = 1_767_571_200_000
#: The last millisecond of year 9999, where Python's calendar ends.
MAX_MS = 253_402_300_799_999

_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_WALL = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,3}))?)?", re.ASCII)
_SPAN = re.compile(r"(?:[0-9]+(?:ms|s|m|h|d))+", re.ASCII)
_SPAN_PART = re.compile(r"([0-9]+)(ms|s|m|h|d)", re.ASCII)
_INSTANTS = "a millisecond, an ISO instant or a time of the lab's day"
_SPANS = "milliseconds or a span such as '15m', '1h30m', '250ms'"


class Clock(Protocol):
    """Anything that answers what time it is."""

    def now_ms(self) -> int:
        """Unix milliseconds."""


def takes_clock(clock: Clock) -> None:
    """Refuse what is no clock."""
    if isinstance(clock, type) or not callable(getattr(clock, "now_ms", None)):
        raise ArgumentError("clock", clock, "a clock", "try FixedClock('08:50')")


def reading_ms(clock: Clock) -> int:
    """What a clock says. Raises `ArgumentError` for what is no millisecond of the years 1970 to 9999."""
    now_ms = clock.now_ms()
    if type(now_ms) is not int or not 0 <= now_ms <= MAX_MS:
        allowed = f"an int of Unix milliseconds from 0 to {MAX_MS}"
        raise ArgumentError("what the clock says", now_ms, allowed, "try time.time_ns() // 1_000_000")
    return now_ms


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Unix milliseconds; may go back when the machine's clock is set."""
        return time.time_ns() // 1_000_000

    def __repr__(self) -> str:
        return "SystemClock()"


class FixedClock:
    """A clock that stands still until it is moved.

    `start` is a time of the lab's day ("08:50" is 2026-01-05 08:50 UTC), an ISO instant
    ("2026-01-05T08:50:00Z"; without an offset, UTC) or Unix milliseconds.
    Raises `ArgumentError` for anything else.
    """

    def __init__(self, start: str | int = "08:50") -> None:
        self._now_ms = instant_ms(start, "start")

    def now_ms(self) -> int:
        """Unix milliseconds, the same until `set` or `advance`."""
        return self._now_ms

    def set(self, to: str | int, *, back: bool = False) -> int:
        """Stand at an instant (the forms of `FixedClock`) and answer it in Unix milliseconds.

        An earlier instant is refused unless `back=True`: a scheduler whose clock goes back runs things twice.
        """
        to_ms = instant_ms(to, "to")
        if to_ms < self._now_ms and not back:
            raise ArgumentError(
                "to",
                to,
                f"at or after the clock's {iso(self._now_ms)}",
                "run the setup cell again to start over, or pass back=True to turn the clock back",
            )
        self._now_ms = to_ms
        return to_ms

    def advance(self, span: str | int) -> int:
        """Move forward by milliseconds or a span ("15m", "1h30m", "250ms"); answer the new instant in ms."""
        to_ms = self._now_ms + span_ms(span, "span")
        if to_ms > MAX_MS:
            raise ArgumentError("span", span, f"no further than {iso(MAX_MS)}")
        self._now_ms = to_ms
        return to_ms

    def __repr__(self) -> str:
        return f"FixedClock({iso(self._now_ms)!r})"


def instant_ms(value: str | int, thing: str = "instant") -> int:
    """Unix milliseconds of an instant in one of the forms of `FixedClock`, 0 to the end of year 9999."""
    if type(value) is int:
        at_ms = value
    elif type(value) is str and (wall := _WALL.fullmatch(value)):
        hours, minutes, seconds, fraction = (wall[1], wall[2], wall[3] or "0", (wall[4] or "0").ljust(3, "0"))
        at_ms = LAB_DAY_MS + int(hours) * 3_600_000 + int(minutes) * 60_000 + int(seconds) * 1_000 + int(fraction)
    elif type(value) is str:
        try:
            date.fromisoformat(re.split("[T ]", value, maxsplit=1)[0])  # datetime takes any character after the date
            at = datetime.fromisoformat(value)
            at_ms = ((at if at.tzinfo else at.replace(tzinfo=UTC)) - EPOCH) // timedelta(milliseconds=1)
        except (ValueError, OverflowError):
            raise ArgumentError(thing, value, _INSTANTS, "try '08:50' or '2026-01-05T08:50:00Z'") from None
    else:
        raise ArgumentError(thing, value, _INSTANTS, "try '08:50' or '2026-01-05T08:50:00Z'")
    if not 0 <= at_ms <= MAX_MS:
        raise ArgumentError(thing, value, "an instant of the years 1970 to 9999")
    return at_ms


def span_ms(value: str | int, thing: str = "span") -> int:
    """Milliseconds of a span: an int of ms (0 or more), or "15m", "1h30m", "250ms" (units d h m s ms)."""
    if type(value) is int and value >= 0:
        return value
    if type(value) is str and len(value) <= 64 and _SPAN.fullmatch(value):
        return sum(int(count) * _UNITS[unit] for count, unit in _SPAN_PART.findall(value))
    raise ArgumentError(thing, value, _SPANS, "try '15m'")


def iso(at_ms: int) -> str:
    """An instant as ISO text in UTC with milliseconds: 2026-01-05T08:50:00.000Z."""
    at = EPOCH + timedelta(milliseconds=at_ms)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
