"""Dive 2's exercises: what is right is found by running, and nothing is had for nothing."""

import itertools

import pytest

from echomq_lab import readout, scripts
from echomq_lab.checks.exercises import exercise
from echomq_lab.checks.exercises.ex_2_1 import entries
from echomq_lab.checks.exercises.ex_2_4 import HAPPENS, happening
from echomq_lab.checks.exercises.ex_3_1 import runs
from echomq_lab.checks.judge import judge
from echomq_lab.checks.pupil import Forked, Here
from echomq_lab.checks.verdict import Status, Verdict
from echomq_lab.errors import ArgumentError, ReplyError
from echomq_lab.scenario import BLOCKS, Way, assemble, boot_by
from echomq_lab.scenario.given_register import GIVEN, SUSPECTS
from echomq_lab.store import Connection


def checked(number: str, names: dict[str, object]) -> Verdict:
    with Forked(names) as forked:
        return judge(exercise(number), forked)


def ordered(letters: str) -> Verdict:
    return judge(exercise("2.2"), Here({"register_order": list(letters)}))


def test_the_boots_of_2_1_leave_what_a_run_leaves() -> None:
    assert {way: entries(way) for way in Way} == {"guarded": 2, "naive": 6, "again": 2, "ask-first": 2}


def test_the_number_of_2_1_is_not_told() -> None:
    verdict = checked("2.1", {"entries_naive": 5, "entries_guarded": 9})
    assert verdict.failure is not None
    assert "6" not in verdict.failure.expected + verdict.failure.says + verdict.failure.next


@pytest.mark.parametrize("number", [0, 1_767_607_800_000])
def test_the_runs_of_3_1_are_not_told(number: int) -> None:
    verdict = checked("3.1", {"start_to_start": [number] * 4, "start_to_finish": [number] * 5})
    assert verdict.failure is not None
    assert verdict.failure.marks is None
    text = verdict.to_text() + "".join(map(str, exercise("3.1").tests))
    assert not [each for lane in ("start", "finish") for each in runs(lane)[1:] if str(each) in text]


@pytest.mark.soak
def test_of_all_orders_of_blocks_those_are_right_that_do_what_register_does() -> None:
    orders = ["".join(each) for count in range(1, 6) for each in itertools.permutations(BLOCKS, count)]
    assert len(orders) == 325
    right = [order for order in orders if ordered(order).status is Status.RIGHT]
    assert sorted(right) == ["BADC", "BADCE", "BDAC", "BDACE"]


def test_the_bug_of_2_4_is_the_only_thing_that_happens() -> None:
    assert happening() == ("C",)
    assert set(HAPPENS) == set(SUSPECTS)
    assert happening(scripts.source("register")) == ()


@pytest.mark.parametrize(
    ("letters", "seen"),
    [("ABDC", ("B",)), ("ADC", ("B", "C", "D", "E"))],
)
def test_each_suspect_but_the_second_entry_is_seen_where_it_happens(letters: str, seen: tuple[str, ...]) -> None:
    assert happening(assemble(list(letters))) == seen


def test_the_given_script_shows_nothing_to_boots_of_one_period(conn: Connection) -> None:
    same = boot_by(conn, "same", GIVEN, [900_000, 900_000])
    assert [step.reply for step in same.steps] == [1, 0]
    assert same.steps[1].changes == ()
    other = boot_by(conn, "other", GIVEN, (900_000, 3_600_000))
    assert [step.reply for step in other.steps] == [1, 0]
    (change,) = other.steps[1].changes
    assert change.key == "emq:{other}:repeat:daily-report"
    assert "every_ms = 900000" in str(readout.steps(other))


@pytest.mark.parametrize(
    ("script", "periods", "told"),
    [
        (..., [1], "script must be the text of a script"),
        (GIVEN, 900_000, "periods_ms must be a list of periods"),
        (GIVEN, [0], r"periods_ms\[0\] must be whole milliseconds"),
    ],
)
def test_boot_by_refuses_before_anything_is_sent(conn: Connection, script: str, periods: list[int], told: str) -> None:
    with pytest.raises(ArgumentError, match=told):
        boot_by(conn, "mine", script, periods)
    assert conn.send("KEYS", "*") == []


def test_boot_by_tells_what_the_store_says_of_a_script(conn: Connection) -> None:
    with pytest.raises(ReplyError):
        boot_by(conn, "mine", "retrun 1", [900_000])


@pytest.mark.parametrize("script", ["", "return 0", "return 1", "return redis.call('EXISTS', KEYS[2])"])
def test_a_script_that_writes_nothing_earns_next_to_nothing(script: str) -> None:
    assert checked("2.3", {"REGISTER_LUA": script}).earned <= 1
    assert checked("2.4", {"BUG": "A", "REGISTER_FIXED": script}).earned == 0


def test_a_boot_that_does_nothing_earns_nothing() -> None:
    assert checked("2.5", {"boot": lambda conn, queue, schedules: []}).earned == 0
