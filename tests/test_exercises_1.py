"""The exercises of dive 1: what they expect is right by other means than theirs, and no answer upsets their tests."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest

from echomq_lab.checks.exercises import exercise
from echomq_lab.checks.exercises.ex_1_1 import NOW_MS
from echomq_lab.checks.exercises.ex_1_3 import next_slot
from echomq_lab.checks.exercises.ex_1_5 import next_slot as next_slot_tz
from echomq_lab.checks.judge import judge
from echomq_lab.checks.pupil import Forked

TESTS = Path(__file__).parent
ORACLE = json.loads((TESTS / "data" / "cron_cases.json").read_text("utf-8"))
IDS = [f"1.{number}" for number in range(1, 6)]


def fits(field: str, value: int, low: int) -> bool:
    """Whether a value is one of a field's, by the text of the field."""
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, last = (low, 99) if span == "*" else (int(span.split("-")[0]), int(span.split("-")[-1]))
        if first <= value <= last and (value - first) % int(step or 1) == 0:
            return True
    return False


def minute_by_minute(expr: str, now_ms: int, tz: str) -> int:
    """The first minute from now on at which the zone's wall clock shows what the expression names."""
    minute, hour, day, month, weekday = expr.split()
    at = datetime.fromtimestamp(-(-now_ms // 60_000) * 60, UTC)
    while True:
        wall = at.astimezone(ZoneInfo(tz))
        days = fits(day, wall.day, 1), fits(weekday, wall.isoweekday() % 7, 0)
        either = any(days) if "*" not in (day, weekday) else all(days)
        if either and fits(minute, wall.minute, 0) and fits(hour, wall.hour, 0) and fits(month, wall.month, 1):
            return int(at.timestamp()) * 1000
        at += timedelta(minutes=1)


@pytest.mark.parametrize("seed", range(20))
def test_what_the_cron_exercises_expect_is_what_the_wall_clock_shows_first(seed: int) -> None:
    for test in exercise("1.3").tests:
        for expr, now_ms in test.cases(Random(seed)):
            assert next_slot((expr, now_ms)) == minute_by_minute(expr, now_ms, "UTC"), (test.id, expr, now_ms)
    for test in exercise("1.5").tests:
        for expr, now_ms, tz in test.cases(Random(seed)):
            assert next_slot_tz((expr, now_ms, tz)) == minute_by_minute(expr, now_ms, tz), (test.id, expr, now_ms, tz)


def test_what_the_cron_exercises_expect_is_what_other_libraries_say() -> None:
    told = 0
    for case in ORACLE:
        expected = case["expected_ms"]
        first_ms = expected[0] if isinstance(expected, list) else expected
        if not isinstance(first_ms, int) or len(case["agree"]) < 3:
            continue
        assert next_slot_tz((case["expr"], case["now_ms"], case["tz"] or "UTC")) == first_ms, case
        told += 1
    assert told > 50


@pytest.mark.parametrize("path", sorted((TESTS.parent / "notebooks").glob("*.ipynb")), ids=lambda path: path.name)
def test_no_notebook_shows_what_the_two_next_runs_are(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not re.search("1773814800000|1773212713250|07:05:13|18 March|06:20 UTC on", text)
    assert (str(NOW_MS) in text) is False


def test_each_half_of_the_two_next_runs_earns_its_own_points() -> None:
    with Forked({"cron_next_ms": 1_773_814_800_000, "interval_next_ms": ...}) as pupil:
        verdict = judge(exercise("1.1"), pupil)
    assert (verdict.earned, verdict.points) == (2, 4)
    assert verdict.failure is not None
    assert verdict.failure.says.startswith("interval_next_ms is still as shipped")


@pytest.mark.parametrize(
    "said",
    [{"cron_next_ms": 0, "interval_next_ms": 0}, {"cron_next_ms": 1_773_814_800_000, "interval_next_ms": NOW_MS}],
)
def test_no_answer_is_told_what_the_two_next_runs_are(said: dict[str, int]) -> None:
    with Forked(said) as pupil:
        verdict = judge(exercise("1.1"), pupil)
    assert verdict.failure is not None
    assert verdict.failure.marks is None
    assert not re.search("1773814800000|1773212713250", verdict.to_text() + "".join(map(str, exercise("1.1").tests)))


def test_a_number_that_is_no_instant_earns_nothing() -> None:
    with Forked({"cron_next_ms": 0, "interval_next_ms": 1_773_212_713}) as pupil:
        assert judge(exercise("1.1"), pupil).earned == 0
