"""How an instant, a span and a stranger's text are told to the reader: the same words in readout and figure.

Source: widgets, "cadence_tracer" (next runs "in three readings (local, relative, ISO and ms)").
"""

from __future__ import annotations

from datetime import datetime, timedelta

from echomq_lab.cadence import Interval, time_zone
from echomq_lab.clock import EPOCH, MAX_MS
from echomq_lab.errors import ArgumentError

# Not strftime: its names follow the machine's locale.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS: tuple[str, ...] = ("January", "February", "March", "April", "May", "June", "July", "August", "September")
_MONTHS += ("October", "November", "December")


class UnshowableError(ArgumentError):
    """An instant past the last day that a clock in the zone can show."""


def in_calendar(at_ms: object) -> bool:
    """Whether a score is a whole millisecond of the years 1970 to 9999, so that a clock can show it."""
    return type(at_ms) is int and 0 <= at_ms <= MAX_MS


def clock_time(at_ms: int, tz: str = "UTC", *, seen_from_ms: int | None = None) -> str:
    """The wall clock of a zone at an instant: 09:00, with seconds and milliseconds only where there are any.

    Seen from another day, the day stands before it: Tue 6 Jan 09:00; from another year, the year as well.
    """
    at = _local(at_ms, tz)
    text = f"{at:%H:%M}"
    if at_ms % 60_000:
        text += f":{at:%S}" if at_ms % 1_000 == 0 else f":{at:%S}.{at_ms % 1_000:03}"
    if seen_from_ms is None:
        return text
    seen = _local(seen_from_ms, tz)
    if at.date() == seen.date():
        return text
    year = "" if at.year == seen.year else f" {at.year}"
    return f"{_DAYS[at.weekday()][:3]} {at.day} {_MONTHS[at.month - 1][:3]}{year} {text}"


def day(at_ms: int, tz: str = "UTC") -> str:
    """The day of an instant in a zone: Monday 5 January 2026."""
    at = _local(at_ms, tz)
    return f"{_DAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]} {at.year}"


def iso_in(at_ms: int, tz: str = "UTC") -> str:
    """ISO text in a zone with its offset: 2026-01-05T10:00:00.000+01:00, or Z for UTC."""
    text = _local(at_ms, tz).isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00") + "Z" if tz == "UTC" else text


def span(ms: int) -> str:
    """A span of 1 ms or more in exact English: 15 minutes, 1 hour 30 minutes."""
    return Interval(ms).sentence().removeprefix("every ")


def relative(at_ms: int, now_ms: int) -> str:
    """How far an instant is from now: in 10 minutes, now, 5 minutes ago."""
    if at_ms == now_ms:
        return "now"
    return f"in {span(at_ms - now_ms)}" if at_ms > now_ms else f"{span(now_ms - at_ms)} ago"


def visible(text: str, most: int = 200) -> str:
    """A stranger's text in one printable line of at most about `most` characters, its length said where it is cut."""
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: most + 1])
    return line if len(text) <= most else f"{line[:most]}... ({len(text)} characters)"


def _local(at_ms: int, tz: str) -> datetime:
    try:
        return (EPOCH + timedelta(milliseconds=at_ms)).astimezone(time_zone(tz))
    except OverflowError:
        raise UnshowableError("an instant", at_ms, f"one that a clock in {tz} can show, before year 10000") from None
