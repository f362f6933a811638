"""When next, as tables: what an expression says, its next three slots, and how a wrong one is told."""

import copy
import json
import os
import pickle
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from echomq_lab.cadence import MAX_EVERY_MS, MAX_MARKS, Cron, Interval
from echomq_lab.clock import EPOCH, MAX_MS, instant_ms, iso
from echomq_lab.cron_grammar import ALIASES, LONGEST
from echomq_lab.errors import ArgumentError, CronError, LabError

NOW_MS = instant_ms("08:50")
CASES = json.loads((Path(__file__).parent / "data" / "cron_cases.json").read_text(encoding="utf-8"))


def slots(cron, now_ms, n=3):
    """The marks as "01-05 09:00" of their UTC day."""
    return [(EPOCH + timedelta(milliseconds=at_ms)).strftime("%m-%d %H:%M") for at_ms in cron.marks(now_ms, n)]


def test_the_seeds_verdicts():
    assert Cron("0 9 * * *").next_at(NOW_MS) == instant_ms("09:00")
    assert Interval(900_000).next_at(NOW_MS) == instant_ms("09:05")
    assert Interval(900_000).marks(NOW_MS, 3) == [instant_ms(at) for at in ("09:05", "09:20", "09:35")]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case):
    expected, tz = case["expected_ms"], case["tz"] or "UTC"
    if expected == "error":
        with pytest.raises(CronError):
            Cron(case["expr"], tz)
    elif isinstance(expected, list):
        assert Cron(case["expr"], tz).marks(case["now_ms"], len(expected)) == expected
    else:
        assert Cron(case["expr"], tz).next_at(case["now_ms"]) == expected


@pytest.mark.parametrize(
    ("expr", "sentence", "next_three"),
    [
        ("0 9 * * *", "At 09:00 AM", ["01-05 09:00", "01-06 09:00", "01-07 09:00"]),
        ("* * * * *", "Every minute", ["01-05 08:50", "01-05 08:51", "01-05 08:52"]),
        ("@hourly", "Every hour", ["01-05 09:00", "01-05 10:00", "01-05 11:00"]),
        ("@Daily", "At 12:00 AM", ["01-06 00:00", "01-07 00:00", "01-08 00:00"]),
        (" @weekly ", "At 12:00 AM, only on Sunday", ["01-11 00:00", "01-18 00:00", "01-25 00:00"]),
        ("@monthly", "At 12:00 AM, on day 1 of the month", ["02-01 00:00", "03-01 00:00", "04-01 00:00"]),
        # Either day field, once both are written as something other than a bare star.
        (
            "0 9 13 * FRI",
            "At 09:00 AM, on day 13 of the month, or on Friday",
            ["01-09 09:00", "01-13 09:00", "01-16 09:00"],
        ),
        (
            "0 9 7 * mon-Wed",
            "At 09:00 AM, on day 7 of the month, or on Monday, Tuesday, and Wednesday",
            ["01-05 09:00", "01-06 09:00", "01-07 09:00"],
        ),
        (
            "0 0 1-3 * FRI",
            "At 12:00 AM, between day 1 and 3 of the month, or on Friday",
            ["01-09 00:00", "01-16 00:00", "01-23 00:00"],
        ),
        (
            "0 0 */10 * 1",
            "At 12:00 AM, on day 1, 11, 21, and 31 of the month, or on Monday",
            ["01-11 00:00", "01-12 00:00", "01-19 00:00"],
        ),
        ("0 0 1,* * 1", "At 12:00 AM", ["01-06 00:00", "01-07 00:00", "01-08 00:00"]),
        ("0 0 5 * */1", "At 12:00 AM", ["01-06 00:00", "01-07 00:00", "01-08 00:00"]),
        ("0 0 1,* * *", "At 12:00 AM", ["01-06 00:00", "01-07 00:00", "01-08 00:00"]),
        # A half that never comes says nothing.
        (
            "0 0 31 2 1",
            "At 12:00 AM, only on Monday, only in February",
            ["02-02 00:00", "02-09 00:00", "02-16 00:00"],
        ),
        ("0 0 * * 7", "At 12:00 AM, only on Sunday", ["01-11 00:00", "01-18 00:00", "01-25 00:00"]),
        ("0 0 * * 7-7", "At 12:00 AM, only on Sunday", ["01-11 00:00", "01-18 00:00", "01-25 00:00"]),
        (
            "0 0 * * 5-7",
            "At 12:00 AM, only on Sunday, Friday, and Saturday",
            ["01-09 00:00", "01-10 00:00", "01-11 00:00"],
        ),
        ("0 12 * * 0-7", "At 12:00 PM", ["01-05 12:00", "01-06 12:00", "01-07 12:00"]),
        (
            "0 0 * * 1/2",
            "At 12:00 AM, only on Monday, Wednesday, and Friday",
            ["01-07 00:00", "01-09 00:00", "01-12 00:00"],
        ),
        (
            "0 0 * * 7/2",
            "At 12:00 AM, only on Sunday, Tuesday, Thursday, and Saturday",
            ["01-06 00:00", "01-08 00:00", "01-10 00:00"],
        ),
        ("30 8 * * MON-FRI", "At 08:30 AM, Monday through Friday", ["01-06 08:30", "01-07 08:30", "01-08 08:30"]),
        ("0 0 1 jan,JUL *", "At 12:00 AM, on day 1 of the month, only in January and July", None),
        ("0 0 * 3-5 *", "At 12:00 AM, March through May", ["03-01 00:00", "03-02 00:00", "03-03 00:00"]),
        # One value in three spellings; croniter takes 5-5 for every minute.
        ("5 * * * *", "At 5 minutes past the hour", ["01-05 09:05", "01-05 10:05", "01-05 11:05"]),
        ("5-5 * * * *", "At 5 minutes past the hour", ["01-05 09:05", "01-05 10:05", "01-05 11:05"]),
        ("5-5/3 * * * *", "At 5 minutes past the hour", ["01-05 09:05", "01-05 10:05", "01-05 11:05"]),
        ("59/15 * * * *", "At 59 minutes past the hour", ["01-05 08:59", "01-05 09:59", "01-05 10:59"]),
        (
            "5/15 * * * *",
            "At 5, 20, 35, and 50 minutes past the hour",
            ["01-05 08:50", "01-05 09:05", "01-05 09:20"],
        ),
        (
            "10-40/10 * * * *",
            "At 10, 20, 30, and 40 minutes past the hour",
            ["01-05 09:10", "01-05 09:20", "01-05 09:30"],
        ),
        ("1,* * * * *", "Every minute", ["01-05 08:50", "01-05 08:51", "01-05 08:52"]),
        ("*/15 * * * *", "Every 15 minutes", ["01-05 09:00", "01-05 09:15", "01-05 09:30"]),
        # No "every 25 minutes" and no "every 90 minutes": the count starts again at each hour.
        ("*/25 * * * *", "At 0, 25, and 50 minutes past the hour", ["01-05 08:50", "01-05 09:00", "01-05 09:25"]),
        ("*/90 * * * *", "Every hour", ["01-05 09:00", "01-05 10:00", "01-05 11:00"]),
        (
            "0 */5 * * *",
            "At 12:00 AM, 05:00 AM, 10:00 AM, 03:00 PM and 08:00 PM",
            ["01-05 10:00", "01-05 15:00", "01-05 20:00"],
        ),
        ("0 */2 * * *", "Every 2 hours", ["01-05 10:00", "01-05 12:00", "01-05 14:00"]),
        (
            "*/30 */2 * * *",
            "At 0 and 30 minutes past the hour, every 2 hours",
            ["01-05 10:00", "01-05 10:30", "01-05 12:00"],
        ),
        (
            "* */12 * * *",
            "Minutes 0 through 59 past the hour, every 12 hours",
            ["01-05 12:00", "01-05 12:01", "01-05 12:02"],
        ),
        (
            "0,5 9 * * *",
            "At 0 and 5 minutes past the hour, between 09:00 AM and 09:59 AM",
            ["01-05 09:00", "01-05 09:05", "01-06 09:00"],
        ),
        (
            "58,59 8,9,17 * * *",
            "At 58 and 59 minutes past the hour, at 08:00 AM through 09:59 AM and 05:00 PM through 05:59 PM",
            ["01-05 08:58", "01-05 08:59", "01-05 09:58"],
        ),
        ("05 08 * * *", "At 08:05 AM", ["01-06 08:05", "01-07 08:05", "01-08 08:05"]),
        ("\t0\t9   * * * ", "At 09:00 AM", ["01-05 09:00", "01-06 09:00", "01-07 09:00"]),
    ],
)
def test_sentence_and_slots(expr, sentence, next_three):
    cron = Cron(expr)
    assert cron.sentence() == sentence
    if next_three:
        assert slots(cron, NOW_MS) == next_three


@pytest.mark.parametrize(
    ("expr", "tz", "now", "next_three"),
    [
        # New York, 2024-03-10: the clock goes from 02:00 to 03:00; 02:30 has no instant on that day.
        ("30 2 * * *", "America/New_York", "2024-03-10T00:00:00Z", ["03-11 06:30", "03-12 06:30", "03-13 06:30"]),
        # New York, 2024-11-03: from 02:00 back to 01:00; both 01:30 run, then both 01:45 in their own pass.
        ("30 1 * * *", "America/New_York", "2024-11-03T00:00:00Z", ["11-03 05:30", "11-03 06:30", "11-04 06:30"]),
        ("30,45 1 * * *", "America/New_York", "2024-11-03T05:40:00Z", ["11-03 05:45", "11-03 06:30", "11-03 06:45"]),
        # From the first 01:59:30, the 01:10 to come is earlier than tomorrow's.
        ("10 1 * * *", "America/New_York", "2024-11-03T05:59:30Z", ["11-03 06:10", "11-04 06:10", "11-05 06:10"]),
        # Half an hour back on Lord Howe, two hours back at Troll.
        ("45 1 * * *", "Australia/Lord_Howe", "2024-04-06T14:00:00Z", ["04-06 14:45", "04-06 15:15", "04-07 15:15"]),
        ("0 2 * * *", "Antarctica/Troll", "2024-10-27T00:30:00Z", ["10-27 02:00", "10-28 02:00", "10-29 02:00"]),
        # Apia had no 30 December 2011; Dublin's summer is its standard time.
        ("0 12 30 * *", "Pacific/Apia", "2011-12-01T00:00:00Z", ["01-29 22:00", "03-29 22:00", "04-29 23:00"]),
        ("30 1 * * *", "Europe/Dublin", "2024-10-26T12:00:00Z", ["10-27 00:30", "10-27 01:30", "10-28 01:30"]),
        # Monrovia was 44 minutes and 30 seconds behind until 1972.
        ("0 0 * * *", "Africa/Monrovia", "1970-01-01T00:00:00Z", ["01-01 00:44", "01-02 00:44", "01-03 00:44"]),
        ("0 0 * * *", "Etc/GMT+5", "2024-01-01T00:00:00Z", ["01-01 05:00", "01-02 05:00", "01-03 05:00"]),
    ],
)
def test_slots_in_a_zone(expr, tz, now, next_three):
    assert slots(Cron(expr, tz), instant_ms(now)) == next_three


def test_a_slot_keeps_the_seconds_of_its_zone():
    assert Cron("0 0 * * *", "Africa/Monrovia").next_at(0) == (44 * 60 + 30) * 1_000


def test_the_sentence_names_the_zone():
    assert Cron("0 9 * * *", "Europe/Berlin").sentence() == "At 09:00 AM, Europe/Berlin time"


@pytest.mark.parametrize(
    ("every_ms", "sentence"),
    [
        (1, "every 1 millisecond"),
        (250, "every 250 milliseconds"),
        (1_000, "every 1 second"),
        (900_000, "every 15 minutes"),
        (3_600_000, "every 1 hour"),
        (5_400_000, "every 1 hour 30 minutes"),
        (90_061_001, "every 1 day 1 hour 1 minute 1 second 1 millisecond"),
        (MAX_EVERY_MS, "every 104249991 days 8 hours 59 minutes 991 milliseconds"),
    ],
)
def test_interval_sentence(every_ms, sentence):
    assert Interval(every_ms).sentence() == sentence


MESSAGES = [
    """\
minute '75' is out of range in '75 9 * * *'
                                ^^
minutes run from 0 to 59; did you mean '15 9 * * *'?""",
    """\
month '13' is out of range in '0 9 * 13 *'
                                     ^^
months run from 1 to 12, or JAN to DEC; did you mean '0 9 * 12 *'?""",
    """\
minute '70' is out of range in '50-70 * * * *'
                                   ^^
minutes run from 0 to 59; did you mean '50-59 * * * *'?""",
    """\
hour '24' is out of range in '0 24 * * 9'
                                ^^
hours run from 0 to 23; did you mean '0 0 * * 2'?""",
    """\
minute '005' has too many digits in '005 * * * *'
                                     ^^^
minutes run from 0 to 59; did you mean '5 * * * *'?""",
    """\
minute '*/0' has the step '0' in '*/0 * * * *'
                                  ^^^
a step is a whole number from 1 to 999; did you mean '* * * * *'?""",
    """\
minute '5-' is not whole in '5- * * * *'
                             ^^
the lab reads numbers, names of months and days, '*', lists, ranges and steps; did you mean '5 * * * *'?""",
    """\
day-of-week '1,,2' has an empty place in '0 9 * * 1,,2'
                                                  ^^^^
a list has a value on each side of a comma; did you mean '0 9 * * 1,2'?""",
    """\
day-of-week 'FRI-MON' runs backwards in '0 0 * * FRI-MON'
                                                 ^^^^^^^
a range runs upwards; one over the end is spelled out; did you mean '0 0 * * FRI,SAT,SUN,MON'?""",
    """\
day-of-week 'SAT-SUN' runs backwards in '0 0 * * SAT-SUN'
                                                 ^^^^^^^
a range runs upwards; one over the end is spelled out; did you mean '0 0 * * SAT,SUN'?""",
    """\
month '11-2/3' runs backwards in '0 0 * 11-2/3 *'
                                        ^^^^^^
a range runs upwards; one over the end is spelled out; did you mean '0 0 * 11,2 *'?""",
    """\
day-of-week '7-2' runs backwards in '0 0 * * 7-2'
                                             ^^^
a range runs upwards; one over the end is spelled out; did you mean '0 0 * * 0,1,2'?""",
    """\
day-of-week 'MONDAY' is not a short name in '0 0 * * MONDAY'
                                                     ^^^^^^
names have three letters; days of the week run from 0 to 7 (0 and 7 are Sunday), or SUN to SAT; \
did you mean '0 0 * * MON'?""",
    """\
hour 'MON' is not an hour in '0 MON * * *'
                                ^^^
hours run from 0 to 23""",
    """\
day-of-month '?' is not read in '0 0 ? * 1'
                                     ^
the lab reads numbers, names of months and days, '*', lists, ranges and steps; did you mean '0 0 * * 1'?""",
    """\
day-of-month '15W' is not read in '0 0 15W * *'
                                       ^^^
the lab reads numbers, names of months and days, '*', lists, ranges and steps""",
    """\
day-of-month '31' never comes in '0 0 31 2 *'
                                      ^^
the longest month named in '2' has 29 days; did you mean '0 0 29 2 *'?""",
    """\
'* * * *' has 4 fields
 ^^^^^^^
five fields are read: minute hour day-of-month month day-of-week; did you mean '* * * * *'?""",
    """\
'*' is field 6 of 6 in '0 0 9 * * *'
                                  ^
five fields are read: minute hour day-of-month month day-of-week; did you mean '0 9 * * *'?""",
    """\
'2026' is field 6 of 6 in '0 9 * * * 2026'
                                     ^^^^
five fields are read: minute hour day-of-month month day-of-week; did you mean '0 9 * * *'?""",
    """\
'@reboot' names a start, not a slot
 ^^^^^^^
register at start-up for that""",
    """\
'@every' names a gap, not a slot in '@every 15m'
                                     ^^^^^^
a gap is an Interval(every_ms)""",
    """\
'@dayly' is not an alias
 ^^^^^^
the aliases are @hourly @daily @midnight @weekly @monthly @yearly @annually; did you mean '@daily'?""",
]


def quoted(message):
    """The expression that a message of the table shows in its first line."""
    return message.split("\n")[0].split("'")[-2 if message.split("\n")[0].endswith("'") else 1]


@pytest.mark.parametrize("message", MESSAGES, ids=quoted)
def test_message(message):
    with pytest.raises(CronError) as caught:
        Cron(quoted(message))
    error = caught.value
    assert str(error) == message
    assert quoted(message)[error.position :].startswith(error.token)
    assert message.split("\n")[2].startswith(error.allowed)
    assert (error.repair is None) == ("did you mean" not in message)


@pytest.mark.parametrize(
    ("expr", "line", "position", "repair"),
    [
        # What would move the caret is shown as a blank or as its escape.
        ("0\t9 99\t* *", "day-of-month '99' is out of range in '0 9 99 * *'", 4, "0 9 31 * *"),
        ("0 9 * *\xa0*", r"'\xa0' is not read in '0 9 * *\xa0*'", 7, "0 9 * * *"),
        ("0 9 * * *\n", r"'\n' is not read in '0 9 * * *\n'", 9, "0 9 * * *"),
        ("0 9\x0b* * *", r"'\x0b' is not read in '0 9\x0b* * *'", 3, "0 9 * * *"),
        ("\u0663 9 * * *", r"'\u0663' is not read in '\u0663 9 * * *'", 0, "3 9 * * *"),
        ("1\u20135 9 * * *", r"'\u2013' is not read in '1\u20135 9 * * *'", 1, "1-5 9 * * *"),
        ("0 9 * * \ud800", r"'\ud800' is not read in '0 9 * * \ud800'", 8, None),
        ("0 9 * * \x00", r"'\x00' is not read in '0 9 * * \x00'", 8, None),
    ],
)
def test_the_caret_stays_under_its_token(expr, line, position, repair):
    with pytest.raises(CronError) as caught:
        Cron(expr)
    first, caret, _ = str(caught.value).split("\n")
    token = first.split("'")[1]
    assert first == line
    assert first[caret.index("^") :].startswith(token)
    assert caret.strip() == "^" * len(token)
    assert (caught.value.position, caught.value.repair) == (position, repair)


@pytest.mark.parametrize("token", ["L", "LW", "15W", "W15", "5L", "1#2", "H", "R", "H/5", "H(0-29)", "?", "5?"])
@pytest.mark.parametrize("place", range(5))
def test_other_crons_marks_are_refused_in_each_field(token, place):
    fields = ["*"] * 5
    fields[place] = token
    with pytest.raises(CronError):
        Cron(" ".join(fields))


@pytest.mark.parametrize(
    "expr",
    [
        *("", " ", "\t", "* * * * * * *", "@", "@DAILY @daily", "@every 5m", "@hourly *", "-1 * * * *", "1.5 * * * *"),
        *("+5 * * * *", "1e1 * * * *", "** * * * *", "*-5 * * * *", "*5 * * * *", "5* * * * *", "1/2/3 * * * *"),
        *("1-2-3 * * * *", "5/0 * * * *", "5/ * * * *", "5/-1 * * * *", "*/1000 * * * *", "*/x * * * *", ", * * * *"),
        *(
            "0 0 0 * *",
            "0 0 * 0 *",
            "0 0 * * 8",
            "0 0 * MON *",
            "0 0 * * JAN",
            "0 0 32 * *",
            "60 * * * *",
            "0x5 * * * *",
        ),
        *("0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 30,31 FEB *", "5_0 * * * *", "'5' * * * *", "\uff10 * * * *"),
    ],
)
def test_refused(expr):
    with pytest.raises(CronError):
        Cron(expr)


def test_the_longest_expression():
    every_value = ",".join(map(str, range(60)))
    longest = f"{every_value} * * * *"
    assert Cron(longest) != Cron("* * * * *")
    assert Cron(longest.ljust(LONGEST)).sentence() == "Every minute"
    with pytest.raises(CronError) as caught:
        Cron("* * * * *".ljust(LONGEST + 1))
    assert str(caught.value) == "the expression has 501 characters\nan expression has at most 500 characters"


@pytest.mark.parametrize(
    ("tz", "message"),
    [
        ("", "tz '' is not known\ntz is a key of the tz database such as 'Europe/Berlin'"),
        (
            "Europe/Berln",
            """tz 'Europe/Berln' is not known
tz is a key of the tz database such as 'Europe/Berlin'; did you mean 'Europe/Berlin'?""",
        ),
        ("../etc/passwd", None),
        ("/etc/localtime", None),
        ("Europe", None),
        ("Europe/Berlin/", None),
        ("europe/berlin", None),
        ("UTC\x00", None),
        ("\ud800", None),
        ("x" * 1_000_000, None),
    ],
)
def test_a_zone_that_is_not_known(tz, message):
    with pytest.raises(CronError) as caught:
        Cron("0 9 * * *", tz)
    assert caught.value.field == "tz"
    assert caught.value.token == tz
    assert caught.value.repair is None
    assert len(str(caught.value)) < 300
    assert message is None or str(caught.value) == message


NOT_INTS = [True, 1.0, "1", None, b"1", -1, 2**200]


@pytest.mark.parametrize("bad", [*NOT_INTS, MAX_MS + 1])
def test_now_ms_is_checked(bad):
    for call in (Cron("* * * * *").next_at, Interval(1).next_at):
        with pytest.raises(ArgumentError, match="now_ms must be an int of Unix milliseconds"):
            call(bad)
    for marks in (Cron("* * * * *").marks, Interval(1).marks):
        with pytest.raises(ArgumentError, match="now_ms must be"):
            marks(bad, 0)


@pytest.mark.parametrize("bad", [*NOT_INTS, MAX_MARKS + 1])
def test_n_is_checked(bad):
    for marks in (Cron("* * * * *").marks, Interval(1).marks):
        with pytest.raises(ArgumentError, match="n must be an int from 0 to 10000"):
            marks(0, bad)


@pytest.mark.parametrize("bad", [*NOT_INTS, 0, MAX_EVERY_MS + 1])
def test_every_ms_is_checked(bad):
    with pytest.raises(ArgumentError, match="every_ms must be an int of milliseconds from 1 to 9007199254740991"):
        Interval(bad)


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize("bad", [None, 5, b"0 9 * * *", ["0 9 * * *"], Text("0 9 * * *")])
def test_text_is_checked(bad):
    with pytest.raises(ArgumentError, match="expr must be a cron expression as text"):
        Cron(bad)
    with pytest.raises(ArgumentError, match="tz must be the name of a time zone as text"):
        Cron("0 9 * * *", bad)


def test_no_marks_and_the_most_marks():
    assert Cron("* * * * *").marks(NOW_MS, 0) == Interval(1).marks(NOW_MS, 0) == []
    assert Interval(7).marks(NOW_MS, MAX_MARKS)[-1] == NOW_MS + 7 * MAX_MARKS
    assert Cron("0 9 * * *").marks(NOW_MS, 1_000)[-1] == instant_ms("09:00") + 999 * 86_400_000


def test_the_end_of_the_calendar():
    last = "9999-12-31T23:59:00.000Z"
    assert iso(Cron("* * * * *").next_at(MAX_MS - 59_999)) == last
    assert iso(Cron("0 0 1 12 1").next_at(MAX_MS - 6 * 86_400_000)) == "9999-12-27T00:00:00.000Z"
    assert iso(Cron("* * * * *", "Pacific/Kiritimati").next_at(MAX_MS - 59_999)) == last
    assert iso(Cron("* * * * *", "Etc/GMT+12").next_at(MAX_MS - 59_999)) == last
    with pytest.raises(ArgumentError) as caught:
        Cron("0 0 29 2 *").next_at(MAX_MS - 86_400_000)
    assert str(caught.value) == (
        "now_ms must be early enough to leave a slot of '0 0 29 2 *', not 253402214399999 (int); "
        "the calendar ends at 9999-12-31T23:59:59.999Z"
    )
    for tz in ("UTC", "America/New_York", "Pacific/Kiritimati"):
        with pytest.raises(ArgumentError):
            Cron("* * * * *", tz).next_at(MAX_MS)
        with pytest.raises(ArgumentError):
            Cron("* * * * *", tz).marks(MAX_MS - 90_000, 3)
    with pytest.raises(ArgumentError, match="now_ms must be small enough"):
        Interval(1).next_at(MAX_MS)
    with pytest.raises(ArgumentError, match="n must be small enough"):
        Interval(MAX_MS).marks(0, 2)
    assert Interval(MAX_MS).marks(0, 1) == [MAX_MS]


def test_the_longest_gap_between_slots():
    # 1896 to 1904 and 2096 to 2104: no leap day in 2100.
    gap = [iso(at_ms) for at_ms in Cron("0 0 29 2 *").marks(instant_ms("2096-01-01"), 2)]
    assert gap == ["2096-02-29T00:00:00.000Z", "2104-02-29T00:00:00.000Z"]


@pytest.mark.parametrize("now", ["2243-01-01T09:00", "2769-12-31T23:59", "2770-01-01T00:00", "9876-06-05T09:00"])
def test_a_slot_far_off_is_at_now(now):
    # One microsecond is less than a float tells apart there.
    now_ms = instant_ms(now)
    assert Cron("* * * * *").next_at(now_ms) == now_ms
    assert Cron("* * * * *", "Europe/Berlin").next_at(now_ms) == now_ms


def test_aliases_are_shown_expanded():
    for alias, expanded in ALIASES.items():
        assert Cron(alias).expanded == Cron(alias.upper()).expanded == expanded
        assert Cron(alias) == Cron(expanded)
        assert repr(Cron(alias)) == f"Cron('{expanded}', tz='UTC')"
        assert Cron(alias).expr == alias


def test_equality_hash_and_repr():
    cron = Cron(" 0  9 * * *", "Europe/Berlin")
    assert cron == Cron("0 9 * * *", "Europe/Berlin")
    assert hash(cron) == hash(Cron("0 9 * * *", "Europe/Berlin"))
    assert cron != Cron("0 9 * * *")
    assert cron != "0 9 * * *"
    assert repr(cron) == "Cron('0 9 * * *', tz='Europe/Berlin')"
    assert repr(Interval(900_000)) == "Interval(every_ms=900000)"
    assert Interval(1) == Interval(1) != Interval(2)
    assert len({Interval(1), Interval(1), cron, Cron("0 9 * * *", "Europe/Berlin")}) == 2
    for value in (cron, Interval(900_000)):
        assert eval(repr(value)) == pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value


def test_neither_is_changed_after_the_fact():
    cron, interval = Cron("0 9 * * *"), Interval(900_000)
    with pytest.raises(AttributeError):
        cron.tz = "Europe/Berlin"
    with pytest.raises(AttributeError):
        interval.every_ms = 1


def test_an_error_is_pickled_whole():
    with pytest.raises(CronError) as caught:
        Cron("75 9 * * *")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert (again.repair, again.position) == ("15 9 * * *", 0)
    assert isinstance(again, LabError)
    assert isinstance(again, ValueError)


def test_the_sentence_is_the_same_without_a_locale():
    # cron-descriptor asks the machine's locale, and warns when there is none; it is loaded for a sentence only.
    code = (
        "import sys; from echomq_lab.cadence import Cron; assert 'cron_descriptor' not in sys.modules; "
        "print(Cron('0 21 * * 1').sentence())"
    )
    env = {**os.environ, "LC_ALL": "de_DE.UTF-8"}
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=env,
        cwd=Path(__file__).parent.parent,
    )
    assert ran.stdout == "At 09:00 PM, only on Monday\n"


def test_a_slip_is_answered_with_a_hint() -> None:
    with pytest.raises(ArgumentError, match=r"^every_ms must be .*, not '15m'; fifteen minutes are 900000$"):
        Interval("15m")
    for rule in (Cron("0 9 * * *"), Interval(900_000)):
        with pytest.raises(ArgumentError, match=r"^now_ms must be .*, not '08:50'; try clock.now_ms\(\)$"):
            rule.next_at("08:50")


def test_a_long_expression_is_refused_without_being_read() -> None:
    text = "x" * 10_000_000
    before = time.process_time()
    with pytest.raises(CronError, match=r"^the expression has 10000000 characters"):
        Cron(text)
    assert time.process_time() - before < 0.5
