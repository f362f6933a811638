"""1.5 next_cron_tz: the earliest slot at or after now on a zone's wall clock, through its clock changes.

The rule is the literal one: a slot is a minute that the wall clock shows. In a gap it shows none of the skipped
minutes, in an overlap each of the repeated ones twice. The zone is tested before the two nights, since an answer that
has no zone, or a fixed offset, is wrong in those as well, and for another reason.

Source: exercises, the table; seed 001, §1; architecture, "Cron semantics".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from random import Random

from echomq_lab.cadence import Cron, time_zone
from echomq_lab.checks import instants
from echomq_lab.checks.desk import Desk, Heard
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.checks.pupil import ZONE
from echomq_lab.clock import EPOCH, LAB_DAY_MS, instant_ms
from echomq_lab.wording import UnshowableError, day, in_calendar, iso_in

#: The expression, now in ms, and the zone.
Case = tuple[str, int, str]

_MINUTE_MS, _HOUR_MS, _DAY_MS = 60_000, 3_600_000, 86_400_000
#: Of both hemispheres, the simplest first; one goes forward by half an hour.
_ZONES = ("Europe/Berlin", "America/New_York", "Europe/London", "Pacific/Auckland", "Australia/Lord_Howe")
#: An hour of each zone's wall clock at which UTC has another day, in winter and in summer.
_OTHER_DAY = {"Europe/Berlin": 0, "America/New_York": 21, "Pacific/Auckland": 6, "Australia/Lord_Howe": 6}
_DAYS = 3 * 365
_OFTEN = ("* * * * *", "*/15 * * * *", "*/30 * * * *")
_DAILY = ("0 9 * * *", "30 6 * * *", "15 17 * * *")
#: The hour of a slot and another soon after it, so that an answer may try minute by minute, with croniter too.
_TWO = "{hour},{later}"


@dataclass(frozen=True, slots=True)
class Change:
    """A clock change: the instant, the zone, and by how much the wall clock goes forward (back, where negative)."""

    at_ms: int
    tz: str
    by_ms: int

    @property
    def wall_ms(self) -> int:
        """What the wall clock goes to, or from where it goes forward: the first minute of the gap or the overlap."""
        return self.at_ms + _offset_ms(self.at_ms - 1, self.tz) + min(self.by_ms, 0)


def next_slot(case: Case) -> int:
    """What is expected."""
    expr, now_ms, tz = case
    return Cron(expr, tz).next_at(now_ms)


def _offset_ms(at_ms: int, tz: str) -> int:
    offset = (EPOCH + timedelta(milliseconds=at_ms)).astimezone(time_zone(tz)).utcoffset()
    return (offset or timedelta(0)) // timedelta(milliseconds=1)


@cache
def _changes(tz: str) -> tuple[Change, ...]:
    """The clock changes of a zone in the years that begin with the lab's day."""
    found = []
    for day_ms in range(LAB_DAY_MS, LAB_DAY_MS + _DAYS * _DAY_MS, _DAY_MS):
        before_ms, after_ms = day_ms, day_ms + _DAY_MS
        by_ms = _offset_ms(after_ms, tz) - _offset_ms(before_ms, tz)
        while by_ms and after_ms - before_ms > _MINUTE_MS:
            middle_ms = (before_ms + after_ms) // 2 // _MINUTE_MS * _MINUTE_MS
            if _offset_ms(middle_ms, tz) == _offset_ms(day_ms, tz):
                before_ms = middle_ms
            else:
                after_ms = middle_ms
        if by_ms:
            found.append(Change(after_ms, tz, by_ms))
    return tuple(found)


def _change(rng: Random, forward: bool) -> Change:
    return rng.choice([each for each in _changes(rng.choice(_ZONES)) if (each.by_ms > 0) is forward])


def _first_changes(forward: bool) -> list[Change]:
    """The first change of each zone, for counter-examples."""
    return [next(each for each in _changes(tz) if (each.by_ms > 0) is forward) for tz in _ZONES]


def _at(wall_ms: int, hours: str = "{hour}") -> str:
    """The expression of a time of day; `hours` says which hours, that of the time by its name."""
    minutes = wall_ms % _DAY_MS // _MINUTE_MS
    hour = minutes // 60
    return f"{minutes % 60} {hours.format(hour=hour, later=hour + 2)} * * *"


def _gap(change: Change, into_ms: int, lead_ms: int, hours: str = "{hour}") -> Case:
    """A rule with a slot so far into the gap; now is before the change."""
    return _at(change.wall_ms + into_ms, hours), change.at_ms - lead_ms, change.tz


def _overlap(change: Change, into_ms: int, after_ms: int, hours: str = "{hour}") -> Case:
    """A rule with a slot so far into the overlap; now is so long after it was shown for the first time."""
    return _at(change.wall_ms + into_ms, hours), change.at_ms + change.by_ms + into_ms + after_ms, change.tz


def _across(change: Change, minute: int, lead_ms: int) -> Case:
    """A rule for a time after three of the day of the change, when it is over; now is before it."""
    return f"{minute} 3 * * *", change.at_ms - lead_ms, change.tz


def _other_day(at_ms: int, tz: str, minute: int) -> Case:
    """A rule for two weekdays and a time at which UTC has another day; now is within the hour before the first."""
    hour = _OTHER_DAY[tz]
    slot_ms = Cron(f"{minute} {hour} * * *", tz).next_at(at_ms)
    weekdays = sorted((_weekday(slot_ms, tz) + more) % 7 for more in (0, 2))
    return f"{minute} {hour} * * {','.join(map(str, weekdays))}", slot_ms - 1 - at_ms % _HOUR_MS, tz


def _weekday(at_ms: int, tz: str) -> int:
    return (EPOCH + timedelta(milliseconds=at_ms + _offset_ms(at_ms, tz))).isoweekday() % 7


def _into(rng: Random, change: Change) -> int:
    return rng.randrange(0, abs(change.by_ms), _MINUTE_MS)


def _season(rng: Random, month: int) -> int:
    """An instant of two months in which no zone has a clock change: from January or from June on."""
    return instant_ms(f"{2026 + rng.randrange(3)}-{month:02}-06T00:00:00Z") + rng.randrange(50 * _DAY_MS)


def _ordinary(rng: Random, month: int) -> Case:
    tz, expr = rng.choice(_ZONES), rng.choice(_DAILY)
    return expr, Cron(expr, tz).next_at(_season(rng, month)) - rng.randrange(1, _HOUR_MS), tz


def _days(rng: Random) -> list[Case]:
    return [_ordinary(rng, month) for month in (1, 6)]


def _on_slots(rng: Random) -> list[Case]:
    """A slot that every zone has at this instant, and one that has just begun."""
    cases = []
    for expr, month in zip(_OFTEN, (1, 6, 1), strict=True):
        tz = rng.choice(_ZONES)
        cases.append((expr, Cron(expr, tz).next_at(_season(rng, month)), tz))
    expr, slot_ms, tz = cases[0]
    return [*cases, (expr, slot_ms + rng.randrange(1, 1_000), tz)]


def _in_zones(rng: Random) -> list[Case]:
    """Winter and summer, over either change, and a weekday that UTC does not have."""
    lead_ms = rng.randrange(1, _HOUR_MS // 2)
    across = [_across(_change(rng, forward), rng.randrange(60), lead_ms) for forward in (True, False)]
    return [*_days(rng), *across, _other_day(_season(rng, 1), rng.choice([*_OTHER_DAY]), rng.randrange(60))]


def _gaps(rng: Random) -> list[Case]:
    changes = [_change(rng, True) for _ in range(3)]
    return [_gap(each, _into(rng, each), rng.randrange(1, _HOUR_MS // 2), _TWO) for each in changes]


def _overlaps(rng: Random) -> list[Case]:
    """Now before the first pass; between the two, as the wall clock shows a later time, and an earlier one.

    And of two slots: now is after the first of them, and the second comes before the first comes again.
    """
    before, first, second, both = (_change(rng, False) for _ in range(4))
    most_ms = [abs(each.by_ms) for each in (before, first, second)]
    late_ms, early_ms = rng.randrange(most_ms[1] // 2, most_ms[1], _MINUTE_MS), most_ms[2] // 2
    quarter_ms = -both.by_ms // 4 // _MINUTE_MS * _MINUTE_MS
    minutes = [(both.wall_ms + quarters * quarter_ms) % _HOUR_MS // _MINUTE_MS for quarters in (1, 3)]
    hour = both.wall_ms % _DAY_MS // _HOUR_MS
    two = f"{min(minutes)},{max(minutes)} {hour} * * *"
    return [
        (two, both.at_ms + both.by_ms + quarter_ms + rng.randrange(_MINUTE_MS, quarter_ms), both.tz),
        _overlap(before, _into(rng, before), -rng.randrange(_MINUTE_MS, most_ms[0]), _TWO),
        _overlap(first, most_ms[1] - late_ms, rng.randrange(_MINUTE_MS, late_ms), _TWO),
        _overlap(
            second, early_ms + rng.randrange(0, early_ms, _MINUTE_MS), most_ms[2] - rng.randrange(1, early_ms), _TWO
        ),
    ]


def _ask(desk: Desk, case: Case) -> Heard:
    return desk.call("next_cron_tz", *case)


def _given(case: Case) -> str:
    expr, now_ms, tz = case
    return f"next_cron_tz({expr!r}, {now_ms}, {tz!r}), now is {_say(now_ms, tz)}"


def _say(at_ms: int, tz: str) -> str:
    """An instant on the zone's wall clock, with the offset: it tells the two passes of an overlap apart."""
    return f"{at_ms} ({day(at_ms, tz)}, {iso_in(at_ms, tz)[11:]} {tz})"


def _judge(case: Case, heard: Heard) -> Wrong | None:
    _, now_ms, tz = case
    wrong = instants.compare(now_ms, next_slot(case), heard, _given(case), tz)
    if wrong is None or not instants.is_number(heard.value) or not in_calendar(int(heard.value)):
        return wrong
    try:
        return replace(wrong, came=_say(int(heard.value), tz), expected=_say(next_slot(case), tz))
    except UnshowableError:
        return wrong


def _whole(case: Case, heard: Heard) -> Wrong | None:
    return instants.whole(heard, _given(case))


def _simpler(cases: Callable[[], list[Case]]) -> Callable[[Case], Iterator[Case]]:
    """Those of some cases that are simpler than one, the simplest first: by the zone, the rule's length, and now."""

    def key(case: Case) -> tuple[int, int, int]:
        return _ZONES.index(case[2]), len(case[0]), case[1]

    def simpler(case: Case) -> Iterator[Case]:
        yield from sorted((each for each in cases() if key(each) < key(case)), key=key)

    return simpler


@cache
def _simple_days() -> list[Case]:
    nows = [instant_ms(f"2026-{day}T06:00:00Z") for day in ("01-05", "06-01")]
    return [("0 9 * * *", now_ms, tz) for now_ms in nows for tz in _ZONES]


@cache
def _simple_zones() -> list[Case]:
    across = [_across(each, 0, _HOUR_MS) for forward in (True, False) for each in _first_changes(forward)]
    return [*_simple_days(), *across, *(_other_day(LAB_DAY_MS, tz, 0) for tz in _OTHER_DAY)]


def _simple_slots() -> list[Case]:
    return [(expr, LAB_DAY_MS + late_ms, tz) for expr in _OFTEN for tz in _ZONES for late_ms in (0, 1)]


@cache
def _simple_gaps() -> list[Case]:
    return [_gap(each, each.by_ms // 2, _HOUR_MS) for each in _first_changes(True)]


@cache
def _simple_overlaps() -> list[Case]:
    """Now is a quarter of the overlap before the slot is shown first, or half of it after."""
    halves = [(each, -each.by_ms // 2) for each in _first_changes(False)]
    return [_overlap(each, half_ms, after_ms) for each, half_ms in halves for after_ms in (-half_ms // 2, half_ms)]


def _elsewhere(case: Case, heard: Heard) -> bool:
    """Whether an answer is a slot of the machine's own clock, or of the zone's clock read as another one."""
    expr, now_ms, tz = case
    slot_ms = next_slot(case)
    as_utc_ms = slot_ms + _offset_ms(slot_ms, tz)
    mixed = (Cron(expr, ZONE).next_at(now_ms), as_utc_ms, as_utc_ms - _offset_ms(slot_ms, ZONE))
    return instants.is_number(heard.value) and heard.value in mixed


def _fixed(case: Case, heard: Heard) -> bool:
    """Whether an answer is the slot of one of the zone's two offsets, taken all year."""
    expr, now_ms, tz = case
    offsets = {_offset_ms(now_ms + days * _DAY_MS, tz) for days in (0, 182)}
    slots = [Cron(expr).next_at(now_ms + offset_ms) - offset_ms for offset_ms in offsets]
    return instants.is_number(heard.value) and heard.value in slots


def _utc_day(case: Case, heard: Heard) -> bool:
    """Whether an answer has the weekday of UTC."""
    *fields, weekday = case[0].split()
    if weekday == "*":
        return False
    days = [int(day) for day in weekday.split(",")]
    others = [" ".join([*fields, ",".join(str((day + more) % 7) for day in days)]) for more in (1, -1)]
    return any(heard.value == Cron(expr, case[2]).next_at(case[1]) for expr in others)


def _first_pass(case: Case) -> int:
    """The instant at which the slot of an overlap is shown for the first time."""
    expr, now_ms, tz = case
    return Cron(expr, tz).next_at(now_ms - 2 * _HOUR_MS)


_SCALES = (
    instants.confusions(next_slot)[0],
    Mistake(
        "local time",
        "You mix two wall clocks: the zone's, and this machine's or UTC's. A datetime without a zone takes whichever "
        f"its reader has. {instants.AWAY}",
        _elsewhere,
    ),
)

EXERCISE = Exercise(
    "1.5",
    "next_cron_tz",
    (Name("next_cron_tz", "a function", "(expr, now_ms, tz)"),),
    (
        Test(
            "type",
            1,
            "The answer is no int.",
            "Look at type(next_cron_tz('0 9 * * *', 1767602999000, 'Europe/Berlin')).",
            (
                "What does the registry store: a float of seconds, a datetime, or a whole number?",
                "Look at the last step of your function, from what it found to what it returns.",
                "A datetime's timestamp() is a float of seconds: round(found.timestamp() * 1000) is an int of ms.",
            ),
            _days,
            _ask,
            _whole,
            _given,
            simpler=_simpler(_simple_days),
            mistakes=(instants.seconds_as_float(next_slot), *instants.kinds()),
        ),
        Test(
            "at or after",
            1,
            "Now is itself a slot, and the next run is the earliest slot at or after now: this one.",
            "Ask for * * * * * at a whole minute, and see what your function says.",
            (
                "If now is a slot, when is the next run?",
                "Does your search begin at now itself, or after it?",
                "get_next() answers strictly after its start; croniter.match(expr, at) can be asked of now itself.",
            ),
            _on_slots,
            _ask,
            _judge,
            _given,
            simpler=_simpler(_simple_slots),
            mistakes=(
                *_SCALES,
                Mistake(
                    "back in time",
                    "You answer a time that is past. The milliseconds of now were dropped on the way, so a slot that "
                    "has just begun looks as if it were now.",
                    lambda case, heard: instants.is_number(heard.value) and 0 < case[1] - heard.value < _MINUTE_MS,
                ),
                Mistake(
                    "strictly after",
                    "You skip the slot that is now and answer the one after it. It is at or after now in a zone, too.",
                    lambda case, heard: bool(heard.value == next_slot((case[0], case[1] + 1, case[2]))),
                ),
            ),
        ),
        Test(
            "zone",
            1,
            "That is not the earliest slot on the zone's wall clock.",
            "Look at what the zone's wall clock shows at your answer: datetime.fromtimestamp(ms / 1000, ZoneInfo(tz)).",
            (
                "Which clock do the fields of the expression speak of?",
                "Where does your function go from UTC to the zone's wall clock, and does it ask anew for each instant?",
                "at.astimezone(ZoneInfo(tz)) shows what the wall clock shows at `at`, with that day's own offset.",
            ),
            _in_zones,
            _ask,
            _judge,
            _given,
            simpler=_simpler(_simple_zones),
            mistakes=(
                Mistake(
                    "no zone",
                    "That is the slot in UTC. The zone was not asked.",
                    lambda case, heard: bool(heard.value == Cron(case[0]).next_at(case[1])),
                ),
                Mistake(
                    "a fixed offset",
                    "You take one offset for all days. A zone's offset changes with its clocks: ask for each day's.",
                    _fixed,
                ),
                Mistake(
                    "UTC's weekday",
                    "The time is the zone's and the weekday is UTC's. All five fields are read on the zone's clock.",
                    _utc_day,
                ),
                *_SCALES,
            ),
        ),
        Test(
            "gap",
            1,
            "In the night in which clocks go forward, a slot that the wall clock skips does not run.",
            "List what the zone's wall clock shows that night, minute by minute: where does it jump?",
            (
                "Clocks go from 02:00 to 03:00. At which instant does the wall clock show 02:30?",
                "Does your function make an instant from a wall-clock time? What does it get for one that is skipped?",
                "There and back tells: at.astimezone(UTC).astimezone(zone) shows another time if `at` is skipped.",
            ),
            _gaps,
            _ask,
            _judge,
            _given,
            simpler=_simpler(_simple_gaps),
            mistakes=(
                Mistake(
                    "a slot in the gap",
                    "You run a slot that the wall clock never shows: it is in the gap that the clocks jump over. That "
                    "night it does not run, and the next one that is shown does.",
                    lambda case, heard: instants.is_number(heard.value) and case[1] <= heard.value < next_slot(case),
                ),
            ),
        ),
        Test(
            "overlap",
            2,
            "In the night in which clocks go back, a slot that the wall clock shows twice runs twice.",
            "List what the zone's wall clock shows that night, minute by minute: what comes again?",
            (
                "Clocks go from 03:00 back to 02:00. How often does the wall clock show 02:30?",
                "Does your function know two instants for such a time? Can it go back to an earlier wall-clock time?",
                "A datetime's fold says which of the two it is: wall.replace(tzinfo=zone, fold=1) is the second.",
            ),
            _overlaps,
            _ask,
            _judge,
            _given,
            simpler=_simpler(_simple_overlaps),
            mistakes=(
                Mistake(
                    "one run in the overlap",
                    "You run the slot once. The wall clock shows it a second time, an hour or so later, and that is a "
                    "slot as well.",
                    lambda case, heard: (
                        instants.is_number(heard.value)
                        and _first_pass(case) < case[1]
                        and (heard.value > next_slot(case) or heard.value == _first_pass(case))
                    ),
                ),
                Mistake(
                    "the second run alone",
                    "You leave out the first of the two runs: the wall clock shows the slot before it goes back, too.",
                    lambda case, heard: bool(heard.value == next_slot((case[0], next_slot(case) + 1, case[2]))),
                ),
            ),
        ),
    ),
    hides=("Cron",),
)
