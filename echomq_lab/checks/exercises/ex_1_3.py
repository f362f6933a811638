"""1.3 next_cron: the earliest slot at or after now, in UTC.

Every case is one that croniter by itself answers rightly, when it is asked from just before now.

Source: exercises, the table; seed 001, §1 ("the earliest matching slot at or after now").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random
from zoneinfo import ZoneInfo

from croniter import croniter  # type: ignore[import-untyped]

from echomq_lab.cadence import Cron
from echomq_lab.checks import instants
from echomq_lab.checks.desk import Desk, Heard
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.checks.pupil import ZONE
from echomq_lab.clock import LAB_DAY_MS, instant_ms

#: The expression, and now in ms.
Case = tuple[str, int]

_MINUTE_MS, _HOUR_MS, _DAY_MS = 60_000, 3_600_000, 86_400_000
# The slot asked for is so near that an answer may try minute by minute, with croniter too.
_REACH_MS = 2 * _HOUR_MS
# From midnight to nine, for the counter-example.
_FAR_MS = 9 * _HOUR_MS
_OFTEN: tuple[str, ...] = ("* * * * *", "0 * * * *", "5,35 * * * *")
_DAILY: tuple[str, ...] = ("0 9 * * *", "30 6 * * *", "20 4,16 * * *")
# Day fields, and those of the days that begin what they name: the slots are of every hour, and now is on the eve.
_WEEKDAYS: tuple[tuple[str, str], ...] = tuple((f"* * {days}",) * 2 for days in ("0", "1", "3", "6", "1,3", "2,4"))
_DATES: tuple[tuple[str, str], ...] = (
    ("1 * *", "1 * *"),
    ("31 * *", "31 * *"),
    ("10-20 * *", "10 * *"),
    ("*/10 * *", "*/10 * *"),
    ("* 2,7 *", "1 2,7 *"),
    ("* 3 *", "1 3 *"),
)
# Groups of expressions, each with the least and the most by which now comes before the slot.
_GROUPS: tuple[tuple[tuple[str, ...], int, int], ...] = (
    (("*/10 * * * *", "*/15 * * * *", "*/20 * * * *"), _MINUTE_MS + 1, 10 * _MINUTE_MS),
    (("5-50/15 * * * *", "7-59/20 * * * *", "3-55/25 * * * *"), 1, 10 * _MINUTE_MS),
    (("0 */6 * * *", "30 */4 * * *", "0 */8 * * *"), _HOUR_MS + 1, _REACH_MS),
    (("5,35 8-17 * * *", "7-11 3 * * *"), 1, _REACH_MS),
    (("* 5 * * *", "* 4,16 * * *"), _HOUR_MS, _REACH_MS),
)
# The minutes at which hourly slots are.
_EARLY = 15
# 23:59 is in it, and the last day of the last month.
_EDGE = "*/59 */23 * * *"
_ALL = _OFTEN + _DAILY + tuple(expr for group, _, _ in _GROUPS for expr in group)
_HOURS_OF_DAYS = tuple(f"0 * {named}" for named, _ in _WEEKDAYS + _DATES)


def next_slot(case: Case) -> int:
    """What is expected."""
    return Cron(case[0]).next_at(case[1])


def _plain(case: Case) -> bool:
    """Whether croniter by itself says the same."""
    start = instants.utc(case[1]) - timedelta(microseconds=1)
    return bool(round(croniter(case[0], start).get_next(float) * 1000) == next_slot(case))


def _drawn(
    rng: Random, expressions: tuple[str, ...], place: Callable[[int], int], holds: Callable[[Case], bool]
) -> Case:
    """An expression, and a now that is placed by a slot of it, drawn until the property holds."""
    while True:
        expr = rng.choice(expressions)
        case = (expr, place(Cron(expr).next_at(instants.drawn(rng))))
        if holds(case) and _plain(case):
            return case


def _before(rng: Random, least_ms: int = 1, most_ms: int = _REACH_MS) -> Callable[[int], int]:
    return lambda slot_ms: slot_ms - rng.randrange(least_ms, most_ms)


def _kinds(rng: Random) -> list[Case]:
    return [_drawn(rng, group, _before(rng), _quiet) for group in (_OFTEN, _DAILY, _DAILY)]


def _at(rng: Random) -> list[Case]:
    return [_drawn(rng, group, lambda slot_ms: slot_ms, _on_slot) for group in (_OFTEN, _DAILY, _DAILY)]


def _within(rng: Random) -> list[Case]:
    """One millisecond late, less than a second late; later, and the next slot is the last minute of an hour."""
    late = (1, rng.randrange(2, 1_000))
    cases = [_drawn(rng, _OFTEN, lambda slot_ms, by_ms=by_ms: slot_ms + by_ms, _in_slot) for by_ms in late]  # type: ignore[misc]
    hour_ms = instants.drawn(rng) // _HOUR_MS * _HOUR_MS
    return [*cases, (_OFTEN[0], hour_ms + 58 * _MINUTE_MS + rng.randrange(1_000, _MINUTE_MS))]


def _either(rng: Random) -> list[Case]:
    """Slots of a day by one of the two day fields, asked on its eve or as it begins; both match on the next."""
    cases: list[Case] = []
    while len(cases) < 2:
        by_weekday, midnight_ms = len(cases) == 1, instants.drawn(rng) // _DAY_MS * _DAY_MS
        now_ms = midnight_ms + rng.randrange(_HOUR_MS) if by_weekday else _eve(rng, midnight_ms)
        case = _one_day_field(midnight_ms, now_ms, by_weekday, f"{rng.randrange(_EARLY)} *")
        if case is not None and _quiet(case) and _plain(case):
            cases.append(case)
    return cases


def _one_day_field(today_ms: int, now_ms: int, by_weekday: bool, time: str) -> Case | None:
    """A rule that matches a day by one day field and the next by both, however its weekdays are counted.

    None on the last days of a month.
    """
    today = instants.utc(today_ms)
    if today.day > 27:
        return None
    weekday = today.isoweekday()
    if by_weekday:
        weekdays = ",".join(map(str, sorted((weekday + more) % 7 for more in (-1, 0, 1))))
        return f"{time} {today.day + 1} * {weekdays}", now_ms
    return f"{time} {today.day},{today.day + 1} * {(weekday + 1) % 7}", now_ms


def _simpler_days(case: Case) -> Iterator[Case]:
    """At midnight of the lab's first days, the rule for one o'clock."""
    for day in range(3):
        for by_weekday in (False, True):
            now_ms = LAB_DAY_MS + day * _DAY_MS
            each = _one_day_field(now_ms, now_ms, by_weekday, "0 1")
            if each is not None and (len(each[0]), each[0], each[1]) < (len(case[0]), case[0], case[1]):
                yield each


def _eves(rng: Random, days: tuple[tuple[str, str], ...]) -> list[Case]:
    """Three rules for every hour of some days, asked on the eve of such days."""
    cases: list[Case] = []
    for named, first in rng.sample(days, 3):
        midnight_ms = Cron(f"0 0 {first}").next_at(instants.drawn(rng))
        cases.append((f"{rng.randrange(_EARLY)} * {named}", _eve(rng, midnight_ms)))
    return cases


def _eve(rng: Random, midnight_ms: int) -> int:
    """An instant before the last hour of a day, so that an hourly slot that is not meant lies between."""
    return midnight_ms - _HOUR_MS - rng.randrange(1, 5 * _MINUTE_MS)


def _weekly(rng: Random) -> list[Case]:
    return _eves(rng, _WEEKDAYS)


def _each_group(rng: Random) -> list[Case]:
    cases = [_drawn(rng, group, _before(rng, least, most), _quiet) for group, least, most in _GROUPS]
    last_ms = instant_ms(f"{2026 + rng.randrange(5)}-12-31T23:01:00Z") + rng.randrange(58 * _MINUTE_MS)
    return [*cases, *_eves(rng, _DATES), (_EDGE, last_ms)]


def _in_slot(case: Case) -> bool:
    """Whether now is in the minute of a slot, after its beginning."""
    minute_ms = case[1] // _MINUTE_MS * _MINUTE_MS
    return case[1] != minute_ms and Cron(case[0]).next_at(minute_ms) == minute_ms


def _on_slot(case: Case) -> bool:
    return next_slot(case) == case[1]


def _ask(desk: Desk, case: Case) -> Heard:
    return desk.call("next_cron", *case)


def _given(case: Case) -> str:
    return f"next_cron({case[0]!r}, {case[1]}), now is {instants.say(case[1])}"


def _judge(case: Case, heard: Heard) -> Wrong | None:
    return instants.compare(case[1], next_slot(case), heard, _given(case))


def _whole(case: Case, heard: Heard) -> Wrong | None:
    return instants.whole(heard, _given(case))


def _simpler(expressions: tuple[str, ...], holds: Callable[[Case], bool]) -> Callable[[Case], Iterator[Case]]:
    """Shorter expressions at the same now, then simpler nows; those of which the property holds."""

    def simpler(case: Case) -> Iterator[Case]:
        expr, now_ms = case
        shorter = sorted((each for each in expressions if (len(each), each) < (len(expr), expr)), key=len)
        candidates = [(each, now_ms) for each in shorter]
        # Where now has to be a slot, an earlier slot is simpler too.
        candidates += [(expr, at) for early in instants.simpler(now_ms) for at in (early, Cron(expr).next_at(early))]
        for each in candidates:
            if (len(each[0]), each[0], each[1]) < (len(expr), expr, now_ms) and holds(each) and _near(each):
                yield each

    return simpler


def _near(case: Case) -> bool:
    return next_slot(case) - case[1] <= _FAR_MS and _plain(case)


def _quiet(case: Case) -> bool:
    return not _in_slot(case) and not _on_slot(case)


def _other(expr: Callable[[str], str]) -> Callable[[Case, Heard], bool]:
    """Whether an answer is what another reading of the expression gives."""

    def shows(case: Case, heard: Heard) -> bool:
        return bool(heard.value == Cron(expr(case[0])).next_at(case[1]))

    return shows


def _monday_first(expr: str) -> str:
    """The expression as somebody means it who counts weekdays from Monday as 0."""
    *fields, weekday = expr.split()
    days = sorted({(int(day) + 1) % 7 for part in weekday.split(",") for day in _span(part)})
    return " ".join([*fields, ",".join(map(str, days))])


def _span(part: str) -> range:
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


def _both_days(case: Case, heard: Heard) -> bool:
    """Whether an answer is a slot of which both day fields match."""
    at_ms, (*fields, weekday) = heard.value, case[0].split()
    if type(at_ms) is not int or not case[1] <= at_ms < case[1] + 366 * _DAY_MS:
        return False
    by_each = (" ".join([*fields, "*"]), " ".join([*fields[:2], "*", fields[3], weekday]))
    return all(Cron(expr).next_at(at_ms) == at_ms for expr in by_each)


def _elsewhere(case: Case, heard: Heard) -> bool:
    """Whether an answer is a slot of the zone that the answers run in, or one that mixes its clock with UTC."""
    expr, now_ms = case
    here = round(
        (instants.utc(now_ms).astimezone(ZoneInfo(ZONE)).utcoffset() or timedelta(0)) / timedelta(milliseconds=1)
    )
    mixed = (Cron(expr, ZONE).next_at(now_ms), Cron(expr).next_at(now_ms + here), next_slot(case) - here)
    return instants.is_number(heard.value) and heard.value in mixed


_SECONDS, _LOCAL = instants.confusions(next_slot)
_SCALES = (_SECONDS, replace(_LOCAL, shows=_elsewhere))

EXERCISE = Exercise(
    "1.3",
    "next_cron",
    (Name("next_cron", "a function", "(expr, now_ms)"),),
    (
        Test(
            "type",
            1,
            "The answer is no int.",
            "Look at type(next_cron('0 9 * * *', 1767602999000)), and make an int of whole milliseconds of it.",
            (
                "What does the registry store: a float of seconds, a datetime, or a whole number?",
                "Look at the last step of your function, from what croniter or your loop found to what you return.",
                "A datetime's timestamp() is a float of seconds: round(found.timestamp() * 1000) is an int of ms.",
            ),
            _kinds,
            _ask,
            _whole,
            _given,
            simpler=_simpler(_ALL, _quiet),
            mistakes=(instants.seconds_as_float(next_slot), *instants.kinds()),
        ),
        Test(
            "at or after",
            3,
            "Now is itself a slot, and the next run is the earliest slot at or after now: this one.",
            "Ask for 0 9 * * * at exactly 09:00:00.000, and see what your function says.",
            (
                "If it is exactly 09:00:00.000, when does a daily job of 09:00 run next: now, or tomorrow?",
                "What does croniter's get_next() answer when its start is a slot? Or: does your loop try now itself?",
                "get_next() answers strictly after its start, so start it just before now: a microsecond is enough.",
            ),
            _at,
            _ask,
            _judge,
            _given,
            simpler=_simpler(_OFTEN + _DAILY, _on_slot),
            mistakes=(
                *_SCALES,
                Mistake(
                    "strictly after",
                    "You skip the slot that is now and answer the one after it. The next run is the earliest slot at "
                    "or after now, so at 09:00:00.000 it is 09:00.",
                    lambda case, heard: (
                        instants.is_number(heard.value) and heard.value == Cron(case[0]).next_at(case[1] + 1)
                    ),
                ),
            ),
        ),
        Test(
            "milliseconds",
            2,
            "The slot has begun already, if only by milliseconds, so it is no longer at or after now.",
            "Ask for 0 9 * * * at 09:00:00.001, and compare with 09:00:00.000.",
            (
                "At 09:00:00.001, is 09:00:00.000 still ahead?",
                "Where does your function drop the milliseconds of now, or round them?",
                "A slot is a whole minute. The first that can be at or after now is now rounded UP to a minute.",
            ),
            _within,
            _ask,
            _judge,
            _given,
            simpler=_simpler(_OFTEN, _in_slot),
            mistakes=(
                *_SCALES,
                Mistake(
                    "back in time",
                    "You answer a time that is past. The milliseconds of now were dropped on the way, so a slot that "
                    "has just begun looks as if it were now.",
                    lambda case, heard: (
                        instants.is_number(heard.value) and heard.value == case[1] // _MINUTE_MS * _MINUTE_MS
                    ),
                ),
            ),
        ),
        Test(
            "either day",
            1,
            "Both day fields are set, and a day matches if either of them does.",
            "Ask for 0 9 13 * 5 in a month whose 13th is no Friday, and count the runs of that month.",
            (
                "Does 0 9 13 * 5 mean only Friday the 13th?",
                "How do you combine day of month (the third field) and weekday (the fifth)?",
                "Cron's rule: where both are restricted, the day matches if day of month OR weekday does.",
            ),
            _either,
            _ask,
            _judge,
            _given,
            simpler=_simpler_days,
            mistakes=(
                *_SCALES,
                Mistake(
                    "both days",
                    "You wait for a day that matches day of month AND weekday. Where both fields are set, cron runs on "
                    "a day that matches either of them.",
                    _both_days,
                ),
            ),
        ),
        Test(
            "weekday",
            1,
            "That is another weekday than the expression names.",
            "Ask for 0 0 * * 0 and see on which day of the week your answer is.",
            (
                "Which day of the week is 0 in a cron expression?",
                "Python's weekday() and cron's fifth field do not begin on the same day.",
                "Cron counts from Sunday as 0; datetime.weekday() from Monday as 0; isoweekday() % 7 is cron's.",
            ),
            _weekly,
            _ask,
            _judge,
            _given,
            simpler=_simpler(_HOURS_OF_DAYS, _quiet),
            mistakes=(
                *_SCALES,
                Mistake(
                    "Monday as 0",
                    "You count weekdays from Monday as 0, as datetime.weekday() does. In cron Sunday is 0 and "
                    "Monday 1.",
                    _other(_monday_first),
                ),
            ),
        ),
        Test(
            "value",
            2,
            "That is not the earliest slot at or after now.",
            "Read the expression of the counter-example field by field: minute, hour, day of month, month, weekday.",
            (
                "Which wall-clock minutes does this expression match, and which of them comes first from now on?",
                "Look at the largest field that differs between your answer and the expected one: day, hour or minute.",
                "Cron('...').sentence() says in English what an expression means.",
            ),
            _each_group,
            _ask,
            _judge,
            _given,
            simpler=_simpler(_ALL + _HOURS_OF_DAYS, _quiet),
            mistakes=_SCALES,
        ),
    ),
    hides=("Cron",),
)
