"""1.3 next_cron: the earliest slot at or after now, in UTC.

Every case is one that croniter by itself answers rightly, when it is asked from just before now.

Source: exercises, the table; seed 001, §1 ("the earliest matching slot at or after now").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from random import Random

from croniter import croniter  # type: ignore[import-untyped]

from echomq_lab.cadence import Cron
from echomq_lab.checks import instants
from echomq_lab.checks.desk import Desk, Heard
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong

#: The expression, and now in ms.
Case = tuple[str, int]

_MINUTE_MS, _DAY_MS = 60_000, 86_400_000
# The slot asked for is at most so far away: an answer may try minute by minute.
_REACH_MS = 3 * _DAY_MS
_EVERY = ("* * * * *",)
_PLAIN: tuple[str, ...] = ("0 * * * *", "0 9 * * *", "*/15 * * * *", "30 6 * * *", "5,35 8-17 * * *", "0 */6 * * *")
_PLAIN += ("0 0 1 * *", "20 4 10-20/5 * *", "45 23 * 2,7 *", "10 12 31 * *", "7-11 3 * * *")
_WEEKLY = ("0 9 * * 1", "30 8 * * 1-5", "0 0 * * 0", "15 10 * * 6", "0 12 * * 3", "5 5 * 3 2,4")
_EITHER = ("0 9 13 * 5", "0 9 1 * 1", "30 7 15 * 0", "0 0 1,15 * 3", "12 6 8-10 * 6")


def next_slot(case: Case) -> int:
    """What is expected."""
    return Cron(case[0]).next_at(case[1])


def _plain(case: Case) -> bool:
    """Whether croniter by itself says the same."""
    start = instants.utc(case[1]) - timedelta(microseconds=1)
    return bool(round(croniter(case[0], start).get_next(float) * 1000) == next_slot(case))


def _some(expressions: tuple[str, ...], place: Callable[[Random, str, int], int]) -> Callable[[Random], list[Case]]:
    """Cases that draw an expression and a slot of it, and then place now."""

    def cases(rng: Random) -> list[Case]:
        found: list[Case] = []
        while len(found) < 4:
            expr = rng.choice(expressions)
            case = (expr, place(rng, expr, Cron(expr).next_at(instants.drawn(rng))))
            if _plain(case):
                found.append(case)
        return found

    return cases


def _before(rng: Random, expr: str, slot_ms: int) -> int:
    """A now that is no slot, nor in the minute of one."""
    while not _quiet((expr, now_ms := slot_ms - rng.randrange(1, _REACH_MS))):
        pass
    return now_ms


def _at(_: Random, __: str, slot_ms: int) -> int:
    return slot_ms


def _within(rng: Random, _: str, slot_ms: int) -> int:
    return slot_ms + rng.randrange(1, _MINUTE_MS)


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
            if (len(each[0]), each[0], each[1]) < (len(expr), expr, now_ms) and holds(each) and _plain(each):
                yield each

    return simpler


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
    *fields, weekday = case[0].split()
    days = Cron(" ".join([*fields, "*"]))
    at_ms = heard.value
    while type(at_ms) is int and case[1] <= at_ms:
        only_weekday = " ".join([*fields[:2], "*", "*", weekday])
        return days.next_at(at_ms) == at_ms and Cron(only_weekday).next_at(at_ms) == at_ms
    return False


_SCALES = instants.confusions(next_slot)

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
            _some(_PLAIN, _before),
            _ask,
            _whole,
            _given,
            simpler=_simpler(_PLAIN, _quiet),
            mistakes=instants.kinds(),
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
            _some(_EVERY + _PLAIN, _at),
            _ask,
            _judge,
            _given,
            simpler=_simpler(_EVERY + _PLAIN, _on_slot),
            mistakes=(
                Mistake(
                    "strictly after",
                    "You skip the slot that is now and answer the one after it. The next run is the earliest slot at or "
                    "after now, so at 09:00:00.000 it is 09:00.",
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
            _some(_EVERY + _PLAIN, _within),
            _ask,
            _judge,
            _given,
            simpler=_simpler(_EVERY + _PLAIN, _in_slot),
            mistakes=(
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
            _some(_EITHER, _before),
            _ask,
            _judge,
            _given,
            simpler=_simpler(_EITHER, _quiet),
            mistakes=(
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
            _some(_WEEKLY, _before),
            _ask,
            _judge,
            _given,
            simpler=_simpler(_WEEKLY, _quiet),
            mistakes=(
                Mistake(
                    "Monday as 0",
                    "You count weekdays from Monday as 0, as datetime.weekday() does. In cron Sunday is 0 and Monday 1.",
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
            _some(_PLAIN, _before),
            _ask,
            _judge,
            _given,
            simpler=_simpler(_PLAIN, _quiet),
            mistakes=_SCALES,
        ),
    ),
    hides=("Cron",),
)
