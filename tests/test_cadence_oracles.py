"""Slots against two oracles: every instant of a stretch of time asked one by one, and cronsim.

The oracle knows no cron library and no mapping from wall clock to instant. It goes through the seconds at which a
wall clock can show a full minute, reads the clock there by zoneinfo, and matches the five numbers with its own
reading of the expression.
"""

import contextlib
import re
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from echomq_lab.cadence import MAX_EVERY_MS, Cron, Interval
from echomq_lab.clock import EPOCH, MAX_MS, instant_ms
from echomq_lab.errors import CronError, LabError

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000
DAY_NAMES = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
MONTH_NAMES = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
BOUNDS = [(0, 59, ()), (0, 23, ()), (1, 31, ()), (1, 12, MONTH_NAMES), (0, 6, DAY_NAMES)]
ZONES = [
    *("UTC", "Etc/UTC", "Etc/GMT-14", "Etc/GMT+12", "America/New_York", "Europe/Berlin", "Europe/London"),
    *("Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tehran"),
    *("Africa/Casablanca", "America/Sao_Paulo", "Europe/Dublin", "Antarctica/Troll", "Antarctica/Casey"),
    *("Africa/Monrovia", "Pacific/Chatham", "Pacific/Kwajalein", "America/Caracas"),
]
#: Instants shortly before a clock change, or a change of the zone's standing offset.
CHANGES = [
    ("America/New_York", "2024-03-10T06:00Z"),
    ("America/New_York", "2024-11-03T04:30Z"),
    ("Europe/Berlin", "2024-03-31T00:00Z"),
    ("Europe/Berlin", "2024-10-26T23:30Z"),
    ("Australia/Lord_Howe", "2024-04-06T14:00Z"),
    ("Australia/Lord_Howe", "2024-10-05T14:30Z"),
    ("America/St_Johns", "2010-11-07T01:00Z"),
    ("America/St_Johns", "1988-04-03T02:00Z"),
    ("Pacific/Apia", "2011-12-30T08:30Z"),
    ("Africa/Casablanca", "2024-03-10T01:00Z"),
    ("Africa/Casablanca", "2024-04-14T01:00Z"),
    ("America/Sao_Paulo", "2018-11-04T02:00Z"),
    ("America/Sao_Paulo", "2018-02-18T00:30Z"),
    ("Europe/Dublin", "1971-10-31T00:30Z"),
    ("Antarctica/Troll", "2024-03-31T00:00Z"),
    ("Antarctica/Troll", "2024-10-26T23:30Z"),
    ("Antarctica/Casey", "2010-03-04T13:00Z"),
    ("Africa/Monrovia", "1972-01-07T00:00Z"),
    ("Pacific/Kwajalein", "1993-08-20T23:00Z"),
    ("America/Caracas", "2016-05-01T05:30Z"),
    ("Asia/Tehran", "2021-09-21T18:00Z"),
    ("Pacific/Chatham", "2024-04-06T13:00Z"),
]


@cache
def zone_of(tz):
    """The zone as the tzdata package has it; ZoneInfo(tz) would ask the machine first."""
    with resources.files("tzdata").joinpath("zoneinfo", *tz.split("/")).open("rb") as data:
        return ZoneInfo.from_file(data)


def number(text, names):
    return names.index(text.upper()) + (names is MONTH_NAMES) if text.upper() in names else int(text)


@cache
def values(field, low, high, names):
    named = set()
    for item in field.split(","):
        base, _, step = item.partition("/")
        first, _, last = base.partition("-")
        start = low if base == "*" else number(first, names)
        # A start of 7 with a step is Sunday, which opens the week.
        start = 0 if start == 7 and step and not last and names is DAY_NAMES else start
        end = high if base == "*" or (step and not last) else number(last or first, names)
        named |= {value % 7 if names is DAY_NAMES else value for value in range(start, end + 1, int(step or 1))}
    return named


def matches(expr, wall):
    """Whether a wall-clock reading is a slot; a day field that is no bare star is restricted."""
    fields = expr.split()
    shown = (wall.minute, wall.hour, wall.day, wall.month, wall.isoweekday() % 7)
    minute, hour, day, month, weekday = (
        at in values(field, *bound) for at, field, bound in zip(shown, fields, BOUNDS, strict=True)
    )
    both = fields[2] != "*" and fields[4] != "*"
    return minute and hour and month and ((day or weekday) if both else (day and weekday))


def slots_between(expr, tz, from_ms, to_ms):
    """Each instant from from_ms up to, not with, to_ms at which the zone's clock shows a slot at second 0."""
    zone = zone_of(tz)
    # Offsets of today are whole minutes; Monrovia's, before 1972, were not.
    stride = 1_000 if tz == "Africa/Monrovia" else MINUTE_MS
    found = []
    for at_ms in range(-(-from_ms // stride) * stride, to_ms, stride):
        wall = (EPOCH + timedelta(milliseconds=at_ms)).astimezone(zone)
        if wall.second == 0 and matches(expr, wall):
            found.append(at_ms)
    return found


def written(low, high, names, top):
    """One field, in any of the spellings that are accepted."""

    def spelled(first, last, step, form, named):
        first, last = min(first, last), max(first, last)
        # A name for 7 is SUN, which as the end of a range would be 0.
        plain = "{:02}" if step % 2 else "{}"
        a, b = (names[at - low] if named and names and at <= high else plain.format(at) for at in (first, last))
        return ("*", f"*/{step}", a, f"{a}/{step}", f"{a}-{b}", f"{a}-{b}/{step}")[form]

    value, step = st.integers(low, top), st.integers(1, high + 3)
    item = st.builds(spelled, value, value, step, st.integers(0, 5), st.booleans())
    return st.just("*") | st.lists(item, min_size=1, max_size=3).map(",".join)


FIELDS = [written(low, high, names, 7 if names is DAY_NAMES else high) for low, high, names in BOUNDS]
EXPRS = st.tuples(*FIELDS).map(" ".join)
#: Dense enough to have slots in the hours around a clock change.
DENSE = st.tuples(FIELDS[0], FIELDS[1], st.just("*") | FIELDS[2], st.just("*"), st.just("*") | FIELDS[4]).map(" ".join)
NOWS = st.integers(0, MAX_MS // MINUTE_MS - 1).map(lambda minute: minute * MINUTE_MS) | st.integers(0, MAX_MS)
NEAR_NOWS = st.integers(0, instant_ms("2060-01-01"))


def cron_or_skip(expr, tz="UTC"):
    """The expressions that never match are another test's."""
    try:
        return Cron(expr, tz)
    except CronError as error:
        assume("never comes" not in str(error))
        raise


def next_or_skip(cron, now_ms):
    try:
        return cron.next_at(now_ms)
    except LabError:
        assume(now_ms < MAX_MS - 9 * 366 * DAY_MS)
        raise


@settings(max_examples=80, deadline=None)
@given(DENSE, st.sampled_from(CHANGES), st.integers(-2 * HOUR_MS, 4 * HOUR_MS))
@example("10 1 * * *", ("America/New_York", "2024-11-03T04:30Z"), 89 * MINUTE_MS + 30_000)
@example("* * * * *", ("America/New_York", "2024-11-03T04:30Z"), 0)
@example("*/7 * * * *", ("Africa/Monrovia", "1972-01-07T00:00Z"), 1)
def test_slots_around_a_clock_change(expr, change, later_ms):
    tz, at = change
    from_ms = instant_ms(at) + later_ms
    hours = 2 if tz == "Africa/Monrovia" else 8
    expected = slots_between(expr, tz, from_ms, from_ms + hours * HOUR_MS)
    cron = cron_or_skip(expr, tz)
    assert cron.marks(from_ms, min(len(expected), 90)) == expected[:90]
    assert expected or cron.next_at(from_ms) >= from_ms + hours * HOUR_MS


@pytest.mark.parametrize("change", CHANGES, ids=str)
@pytest.mark.parametrize("expr", ["*/10 * * * *", "17 * * * *", "30 1,2 * * *", "*/15 0-3 * * *", "0 0,23 * * *"])
def test_each_clock_change(change, expr):
    tz, at = change
    from_ms = instant_ms(at) - HOUR_MS
    to_ms = from_ms + (5 * HOUR_MS if tz == "Africa/Monrovia" else DAY_MS)
    expected = slots_between(expr, tz, from_ms, to_ms)
    cron = Cron(expr, tz)
    marks = cron.marks(from_ms, len(expected) + 1)
    assert marks[:-1] == expected
    assert marks[-1] >= to_ms
    # From each instant on the way, not only from slot to slot.
    for now_ms in range(from_ms, to_ms, 17 * MINUTE_MS + 1):
        assert cron.next_at(now_ms) == next((at_ms for at_ms in marks if at_ms >= now_ms), marks[-1])


@settings(max_examples=40, deadline=None)
@given(DENSE, st.sampled_from(ZONES), NEAR_NOWS)
def test_slots_of_a_day_in_any_zone(expr, tz, now_ms):
    span_ms = HOUR_MS if tz == "Africa/Monrovia" else DAY_MS
    expected = slots_between(expr, tz, now_ms, now_ms + span_ms)[:20]
    cron = cron_or_skip(expr, tz)
    assert cron.marks(now_ms, len(expected)) == expected
    if not expected:
        assert cron.next_at(now_ms) >= now_ms + span_ms


@settings(max_examples=150, deadline=None)
@given(EXPRS, st.sampled_from(ZONES), NOWS)
@example("* * * * 07/1", "UTC", 0)
def test_next_is_the_first_at_or_after(expr, tz, now_ms):
    cron = cron_or_skip(expr, tz)
    at_ms = next_or_skip(cron, now_ms)
    assert type(at_ms) is int
    assert at_ms >= now_ms
    # Zoneinfo's calendar ends with Python's, so a reading east of UTC on the last day has none.
    if at_ms < MAX_MS - DAY_MS:
        wall = (EPOCH + timedelta(milliseconds=at_ms)).astimezone(zone_of(tz))
        assert (wall.second, wall.microsecond) == (0, 0)
        assert matches(expr, wall)
    assert cron.next_at(at_ms) == at_ms
    if at_ms > now_ms:
        between = slots_between(expr, tz, max(now_ms, at_ms - HOUR_MS // 2), min(at_ms, MAX_MS - DAY_MS))
        assert between == []
        assert cron.next_at((now_ms + at_ms) // 2) == at_ms
    with contextlib.suppress(LabError):
        assert cron.next_at(at_ms + 1) > at_ms


@settings(max_examples=150, deadline=None)
@given(EXPRS, NEAR_NOWS)
def test_cronsim_agrees_in_utc(expr, now_ms):
    fields = expr.upper().split()
    # cronsim takes a starred day field such as */2 for open, 7 for the end of a week's n/m, and 5-5/3 for 5/3.
    assume(all(field == "*" or "*" not in field for field in (fields[2], fields[4])))
    assume("/" not in fields[3] + fields[4])
    assume(not re.search(r"\b0*([0-9]+)-0*\1/", expr))
    at = next(CronSim(" ".join(fields), EPOCH + timedelta(milliseconds=now_ms) - timedelta(microseconds=1)), None)
    assume(at is not None)
    assert Cron(expr).next_at(now_ms) == (at - EPOCH) // timedelta(milliseconds=1)


@settings(max_examples=100, deadline=None)
@given(EXPRS, st.sampled_from(ZONES), st.integers(instant_ms("2400-01-01"), instant_ms("2760-01-01")))
def test_a_far_year_is_the_same_400_years_on(expr, tz, now_ms):
    cron, cycle_ms = cron_or_skip(expr, tz), 146_097 * DAY_MS
    assert cron.next_at(now_ms + 7 * cycle_ms) == cron.next_at(now_ms) + 7 * cycle_ms


@settings(max_examples=100, deadline=None)
@given(EXPRS)
def test_a_sentence_is_said_of_every_rule(expr):
    cron = cron_or_skip(expr)
    assert cron.sentence()[0].isupper()
    fields = expr.split()
    open_day = any(len(values(fields[at], *BOUNDS[at])) == BOUNDS[at][1] - BOUNDS[at][0] + 1 for at in (2, 4))
    assert ("or on" in cron.sentence()) <= (not open_day)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, MAX_EVERY_MS), st.integers(0, MAX_MS), st.integers(0, 50))
def test_an_interval_marches_by_its_gap(every_ms, now_ms, n):
    assume(now_ms + (n + 1) * every_ms <= MAX_MS)
    marks = Interval(every_ms).marks(now_ms, n)
    assert marks == [now_ms + (run + 1) * every_ms for run in range(n)]
    assert Interval(every_ms).next_at(now_ms) == now_ms + every_ms


# Wrong input: a LabError or an answer, and a repair that is accepted.

TOKENS = [
    *("*", "0", "1", "5", "7", "9", "31", "59", "60", "75", "99", "005", "1-5", "5-1", "FRI-MON", "sat-sun"),
    *("11-2/3", "50-10", "MONDAY", "SEPT", "mon", "jan", "L", "W", "H", "R", "?", "1#2", "*/0", "*/70", "5/"),
    *("/5", "-", ",", "1,,2", "@daily", "@every", "\u0663", "x"),
]
NEARLY = st.lists(st.sampled_from(TOKENS), max_size=8).map(" ".join)
CHARS = st.text(alphabet="0123456789*/,-? \t\n@LWHR#monfriMONJAN\xa0\u0663\u2013", max_size=40)
JUNK = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.binary(max_size=9)
    | st.lists(st.integers(), max_size=3)
)


def refusal(expr):
    """The CronError of an expression, or None."""
    try:
        Cron(expr)
    except CronError as error:
        return error
    return None


@settings(max_examples=400, deadline=None)
@given(NEARLY | CHARS | st.text(max_size=60))
@example("*" * 100_000)
@example("9" * 500 + " * * * *")
@example(",".join(["5-1"] * 120) + " * * * *")
@example(",".join(["61"] * 60) + " * * * *")
@example("\x00 \ud800 * * *")
@example("0 0 31 2-2,4/2 *")
def test_any_text_is_read_or_refused(expr):
    error = refusal(expr)
    if error:
        assert str(error).isascii()
        assert len(str(error).split("\n")) <= 3
        assert expr[error.position :].startswith(error.token)
        assert error.repair is None or Cron(error.repair).expr == error.repair
    else:
        assert Cron(expr).next_at(0) >= 0
        assert Cron(expr).sentence()


@settings(max_examples=200, deadline=None)
@given(JUNK | st.text(max_size=30), JUNK | st.text(max_size=30), JUNK, JUNK, JUNK)
def test_any_argument_is_taken_or_refused(expr, tz, now_ms, n, every_ms):
    for call in (
        lambda: Cron(expr),
        lambda: Cron("0 9 * * *", tz),
        lambda: Cron("0 9 * * *", "Europe/Berlin").next_at(now_ms),
        lambda: Cron("0 9 29 2 *").marks(0, n if type(n) is not int else n % 20),
        lambda: Interval(every_ms),
        lambda: Interval(1_000).next_at(now_ms),
        lambda: Interval(2**53 - 1).marks(now_ms, n),
    ):
        with contextlib.suppress(LabError):
            call()


@pytest.mark.parametrize(
    ("expr", "repair"),
    [
        ("99 99 99 99 99", "39 3 31 12 1"),
        ("50-10 * * * *", "50,51,52,53,54,55,56,57,58,59,0,1,2,3,4,5,6,7,8,9,10 * * * *"),
        ("0 0 * * monday,FRIDAY-tue", "0 0 * * MON,FRI,SAT,SUN,MON,TUE"),
        ("\u0663\xa09 * * *", "3 9 * * *"),
        ("0 9", "0 9 * * *"),
        ("0 0 9 ? * MON-FRI *", "0 9 * * MON-FRI"),
        ("0 9 * Sept *", "0 9 * SEP *"),
        ("0 9 * * sanday", "0 9 * * SUN"),
        ("0 0 L * *", None),
    ],
)
def test_a_repair_mends_the_whole(expr, repair):
    with pytest.raises(CronError) as caught:
        Cron(expr)
    assert caught.value.repair == repair


def test_utc_is_read_the_same_by_name_and_by_zone():
    for now_ms in (0, instant_ms("08:50"), instant_ms("08:50") + 1, MAX_MS - DAY_MS):
        assert Cron("*/7 * * * *").next_at(now_ms) == Cron("*/7 * * * *", "Etc/UTC").next_at(now_ms)
    assert datetime.fromtimestamp(0, UTC) == EPOCH
