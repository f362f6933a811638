"""When next: a cron expression names wall-clock slots, an interval names a gap. Both answer one millisecond.

    Cron("0 9 * * *").next_at(now_ms)      the earliest slot at or after now_ms
    Interval(900_000).next_at(now_ms)      the run at now_ms plus the gap

A slot is a minute as the zone's wall clock shows it. Where clocks go forward the skipped slots do not run; where they
go back the repeated ones run twice, since the wall clock shows them twice.

Source: seed 001, §1 ("the earliest calendar slot at or after the current time that the expression matches") and §2
("the next run is the previous run plus the gap").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import lru_cache
from importlib import resources
from itertools import takewhile
from typing import final
from zoneinfo import ZoneInfo

from croniter import croniter  # type: ignore[import-untyped]

from echomq_lab import arguments
from echomq_lab.clock import EPOCH, MAX_MS, iso
from echomq_lab.cron_grammar import Rule, parse
from echomq_lab.errors import ArgumentError, CronError

#: The longest gap, 2^53 - 1 ms: the largest integer that a score, an IEEE double, holds exactly with all below it.
MAX_EVERY_MS = 2**53 - 1
#: The most marks that are answered at once.
MAX_MARKS = 10_000

_WALL_EPOCH = EPOCH.replace(tzinfo=None)
_MINUTE = timedelta(minutes=1)
_MS = timedelta(milliseconds=1)
_ZERO = timedelta(0)
#: 400 years, after which the Gregorian calendar repeats with its weekdays (146,097 days are 20,871 weeks).
_CYCLE_MS = 146_097 * 86_400_000
_UNITS = (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000), ("millisecond", 1))


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cron:
    """The wall-clock slots of a five-field cron expression in a time zone.

    `expr` is read by the grammar of `cron_grammar`; `tz` is a key of the tz database, "Europe/Berlin".
    Two are equal when their expanded text and their zone are. Raises `CronError` for an expression that is not read,
    that never matches, or for an unknown zone, and `ArgumentError` for what is not text.
    Source: seed 001, §1.
    """

    expr: str
    tz: str = "UTC"

    def __post_init__(self) -> None:
        if type(self.expr) is not str:
            raise ArgumentError("expr", self.expr, "a cron expression as text", "try '0 9 * * *'")
        if type(self.tz) is not str:
            raise ArgumentError("tz", self.tz, "the name of a time zone as text", "try 'Europe/Berlin'")
        parse(self.expr)
        time_zone(self.tz)

    @property
    def expanded(self) -> str:
        """The five fields with single spaces between; of an alias, what it stands for."""
        return parse(self.expr).text

    def next_at(self, now_ms: int) -> int:
        """The earliest slot at or after `now_ms`, in Unix ms.

        Raises `ArgumentError` for a `now_ms` outside 0 to the end of year 9999, or when no slot is left before then.
        """
        _check_now(now_ms)
        # Weekdays, leap days and each zone's standing rule repeat every 400 years, so a far year is asked 400 years
        # or more earlier: the end of Python's calendar is never met, nor the floats that croniter counts in.
        back_ms = max(0, now_ms // _CYCLE_MS - 1) * _CYCLE_MS
        numeric, from_ms = parse(self.expr).numeric, now_ms - back_ms
        if self.tz == "UTC":
            at_ms = next(_slots(numeric, -(-from_ms // 60_000))) * 60_000 + back_ms
        else:
            at_ms = _next_in_zone(numeric, time_zone(self.tz), from_ms) + back_ms
        if at_ms > MAX_MS:
            hint = f"the calendar ends at {iso(MAX_MS)}"
            raise ArgumentError("now_ms", now_ms, f"early enough to leave a slot of '{self.expanded}'", hint)
        return at_ms

    def marks(self, now_ms: int, n: int) -> list[int]:
        """The first `n` slots at or after `now_ms`, ascending, in Unix ms; `n` is 0 to 10,000. Raises as `next_at`."""
        _check_now(now_ms)
        _check_n(n)
        marks: list[int] = []
        for _ in range(n):
            marks.append(self.next_at(marks[-1] + 1 if marks else now_ms))
        return marks

    def sentence(self) -> str:
        """What the expression says in English, with the zone unless it is UTC: "At 09:00 AM, only on Monday"."""
        said = _said(parse(self.expr))
        return said if self.tz == "UTC" else f"{said}, {self.tz} time"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cron):
            return NotImplemented
        return (self.expanded, self.tz) == (other.expanded, other.tz)

    def __hash__(self) -> int:
        return hash((self.expanded, self.tz))

    def __repr__(self) -> str:
        return f"Cron({self.expanded!r}, tz={self.tz!r})"


@final
@dataclass(frozen=True, slots=True)
class Interval:
    """A fixed gap of `every_ms` milliseconds from run to run, 1 to 2^53 - 1; anything else is an `ArgumentError`.

    Source: seed 001, §2.
    """

    every_ms: int

    def __post_init__(self) -> None:
        if type(self.every_ms) is not int or not 1 <= self.every_ms <= MAX_EVERY_MS:
            raise ArgumentError(
                "every_ms",
                self.every_ms,
                f"an int of milliseconds from 1 to {MAX_EVERY_MS}",
                "fifteen minutes are 900000",
            )

    def next_at(self, now_ms: int) -> int:
        """The run after the run at `now_ms`: `now_ms` plus the gap, in Unix ms.

        Raises `ArgumentError` for a `now_ms` outside 0 to the end of year 9999, or a run past it.
        """
        _check_now(now_ms)
        return self._in_calendar("now_ms", now_ms, now_ms + self.every_ms)

    def marks(self, now_ms: int, n: int) -> list[int]:
        """The next `n` runs after the run at `now_ms`, each a gap after the one before; `n` is 0 to 10,000.

        Raises as `next_at`.
        """
        _check_now(now_ms)
        _check_n(n)
        last_ms = self._in_calendar("n", n, now_ms + n * self.every_ms)
        return list(range(now_ms + self.every_ms, last_ms + 1, self.every_ms))

    def sentence(self) -> str:
        """The gap in English, exactly: "every 15 minutes", "every 1 hour 30 minutes"."""
        parts, rest_ms = [], self.every_ms
        for unit, unit_ms in _UNITS:
            count, rest_ms = divmod(rest_ms, unit_ms)
            if count:
                parts.append(f"{count} {unit}{'' if count == 1 else 's'}")
        return f"every {' '.join(parts)}"

    def _in_calendar(self, thing: str, value: int, at_ms: int) -> int:
        if at_ms > MAX_MS:
            hint = f"the gap is {self.every_ms} ms and the calendar ends at {iso(MAX_MS)}"
            raise ArgumentError(thing, value, "small enough that the last run is in the calendar", hint)
        return at_ms


def takes_rule(rule: Cron | Interval) -> None:
    """Refuse what is no rule."""
    arguments.instance("rule", rule, (Cron, Interval), "a Cron or an Interval", "try Cron('0 9 * * *')")


def _check_now(now_ms: int) -> None:
    if type(now_ms) is not int or not 0 <= now_ms <= MAX_MS:
        raise ArgumentError("now_ms", now_ms, f"an int of Unix milliseconds from 0 to {MAX_MS}", "try clock.now_ms()")


def _check_n(n: int) -> None:
    if type(n) is not int or not 0 <= n <= MAX_MARKS:
        raise ArgumentError("n", n, f"an int from 0 to {MAX_MARKS}")


def _slots(numeric: str, minute: int) -> Iterator[int]:
    """The wall-clock minutes since 1970 that a rule matches, ascending, from `minute` on; no zone is known here."""
    # croniter answers strictly after its start; the seed says "at or after now". A slot is a whole minute, so the
    # start is one minute before the first that may be it: a microsecond is lost in croniter's floats by year 2242.
    start = _WALL_EPOCH + timedelta(minutes=minute - 1)
    # day_or: either day field matches, and a field such as */2 is no bare star (implement_cron_bug).
    walk = croniter(numeric, start, ret_type=datetime, day_or=True, implement_cron_bug=False)
    while True:
        yield (walk.get_next() - _WALL_EPOCH) // _MINUTE


def _next_in_zone(numeric: str, zone: ZoneInfo, now_ms: int) -> int:
    now = (EPOCH + timedelta(milliseconds=now_ms)).astimezone(zone)
    wall = now.replace(tzinfo=None) - _WALL_EPOCH
    first = -(-wall // _MINUTE)
    # A slot in a gap has no instant, and the walk goes on to the next.
    ahead = (at_ms for slot in _slots(numeric, first) for at_ms in _instants(slot, zone) if at_ms >= now_ms)
    at_ms = next(ahead)
    repeated = _offset(now.replace(fold=0)) - _offset(now.replace(fold=1))
    if now.fold or repeated <= _ZERO:
        return at_ms
    # In the first pass of an overlap, slots that went by will be shown again, maybe before the next new one.
    earlier = takewhile(lambda slot: slot < first, _slots(numeric, -(-(wall - repeated) // _MINUTE)))
    again = (again_ms for slot in earlier for again_ms in _instants(slot, zone) if again_ms >= now_ms)
    return min(at_ms, next(again, at_ms))


def _instants(slot: int, zone: ZoneInfo) -> list[int]:
    """The Unix ms at which the zone's wall clock shows a minute: none in a gap, two in an overlap."""
    wall = _WALL_EPOCH + slot * _MINUTE
    found = set()
    for fold in (0, 1):
        at = (wall - _offset(wall.replace(tzinfo=zone, fold=fold))).replace(tzinfo=UTC)
        if at.astimezone(zone).replace(tzinfo=None) == wall:
            found.add((at - EPOCH) // _MS)
    return sorted(found)


def _offset(at: datetime) -> timedelta:
    return at.utcoffset() or _ZERO


@lru_cache(maxsize=1)
def _zone_keys() -> frozenset[str]:
    return frozenset(resources.files("tzdata").joinpath("zones").read_text(encoding="ascii").split())


@lru_cache(maxsize=128)
def time_zone(key: str) -> ZoneInfo:
    """The zone of a tz database key. Raises `CronError` for a key that is not in the tzdata package."""
    # From the tzdata package and never the system's files: the same zone has the same slots on every machine. Only a
    # key that the package lists is opened, so no key leads out of it.
    keys = _zone_keys()
    if key not in keys:
        raise _zone_error(key, keys)
    with resources.files("tzdata.zoneinfo").joinpath(*key.split("/")).open("rb") as data:
        return ZoneInfo.from_file(data, key=key)


def _zone_error(key: str, keys: frozenset[str]) -> CronError:
    shown = ascii(key if len(key) <= 64 else f"{key[:64]}...")
    near = get_close_matches(key, sorted(keys), 1) if len(key) <= 64 else []
    allowed = "a key of the tz database such as 'Europe/Berlin'"
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return CronError(f"tz {shown} is not known\ntz is {allowed}{hint}", field="tz", token=key, allowed=allowed)


def _said(rule: Rule) -> str:
    """cron-descriptor's sentence for a spelling of the rule that it says rightly."""
    from cron_descriptor import ExpressionDescriptor, Options  # type: ignore[import-untyped]

    minutes, hours, days, months, weekdays = rule.fields
    minute, hour = _stepped(minutes, 60), _stepped(hours, 24)
    if len(minutes) != 1 and hour.startswith("*/"):
        # "Every 15 minutes, every 2 hours" says nothing: the minutes are named.
        minute = _run(minutes or tuple(range(60)))
    elif len(minutes) != 1:
        # "At 5 and 20 minutes past the hour, at 09:00 AM" is no time: the hour's span is said.
        hour = ",".join(_spans(hours)) or "*"
    # It says "or on" before a list of weekdays, but nothing before a range.
    weekday = ",".join(map(str, weekdays)) or "*" if days else _run(weekdays)
    spelled = " ".join((minute, hour, _run(days), _run(months), weekday))
    # Without a locale it would ask the machine's, and warn where there is none.
    options = Options(locale_code="en_US", use_24hour_time_format=False)
    return str(ExpressionDescriptor(spelled, options).get_description())


def _stepped(values: tuple[int, ...], span: int) -> str:
    """A step only where it is even over the whole span: */7 is no "every 7 minutes", it starts again at each hour."""
    gap = values[1] if len(values) > 1 else span
    return f"*/{gap}" if len(values) > 1 and values == tuple(range(0, span, gap)) and span % gap == 0 else _run(values)


def _run(values: tuple[int, ...]) -> str:
    """A range for three or more in a row, otherwise a list."""
    spans = _spans(values)
    return spans[0] if len(spans) == 1 and len(values) > 2 else ",".join(map(str, values)) or "*"


def _spans(values: tuple[int, ...]) -> list[str]:
    """The runs of neighbours, each as first-last."""
    firsts = [value for value in values if value - 1 not in values]
    lasts = [value for value in values if value + 1 not in values]
    return [f"{first}-{last}" for first, last in zip(firsts, lasts, strict=True)]
