"""A sweep under the knife, on both stores: killed before each step, joined by another pump, cancelled in the middle."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from echomq_lab import advance_readout, jobs, pump, repeat, scenario
from echomq_lab.clock import FixedClock
from echomq_lab.errors import ArgumentError
from echomq_lab.keyspace import job_key, queue_key
from echomq_lab.scenario import SweepRun
from echomq_lab.scenario.sweep_steps import ADVANCE_FIRST, ENQUEUE_FIRST, ONE_SCRIPT, STEPS
from echomq_lab.store import FAKEREDIS, Connection, connect
from echomq_lab.trace import keys_of

QUARTER = 900_000


def registered(conn: Connection) -> Connection:
    repeat.register(conn, "q", "daily", QUARTER, "{}")
    return conn


# way | what becomes of the occurrence when the pump is killed before step 1, 2, ..., and after the last one
KILLS = [
    (ENQUEUE_FIRST, "once once once once once twice once"),
    (ADVANCE_FIRST, "once once once once lost lost once"),
    (ONE_SCRIPT, "once once once once once"),
]


@pytest.mark.parametrize(
    ("way", "number", "fate"),
    [(way, number, fate) for way, fates in KILLS for number, fate in enumerate(fates.split(), 1)],
)
def test_a_kill_before_each_step(conn: Connection, way: str, number: int, fate: str) -> None:
    run = scenario.sweep_steps(registered(conn), "q", kill_before=number, way=way)
    assert run.fate == fate
    assert run.answer is None
    assert [done.name for done in run.steps] == list(STEPS[way][: number - 1])
    assert jobs.pending_size(conn, "q") == {"lost": 0, "once": 1, "twice": 2}[fate]
    assert repeat.count(conn, "q") == 1
    assert advance_readout.fate(run).startswith("The pump was killed ")


@pytest.mark.parametrize("way", STEPS)
def test_a_whole_sweep_has_the_steps_that_are_told(conn: Connection, way: str) -> None:
    run = scenario.sweep_steps(registered(conn), "q", way=way)
    assert [done.name for done in run.steps] == list(STEPS[way])
    assert (run.answer, run.fate) == (pump.Sweep(0, 1, 0), "once")
    assert run.then_answer == pump.Sweep(0, 0, 0)
    assert [step for step in run.trace.steps if step.error] == []


# way | once or twice when another pump sweeps before step 1, 2, ...
PUMPS = [
    (ENQUEUE_FIRST, "once once twice twice twice twice once"),
    (ADVANCE_FIRST, "once once twice twice once once once"),
    (ONE_SCRIPT, "once once once once once"),
]


@pytest.mark.parametrize(
    ("way", "number", "fate"),
    [(way, number, fate) for way, fates in PUMPS for number, fate in enumerate(fates.split(), 1)],
)
def test_another_pump_before_each_step(conn: Connection, way: str, number: int, fate: str) -> None:
    run = scenario.two_pumps(registered(conn), "q", number, way=way)
    assert run.fate == fate
    assert run.answer is not None
    ids = jobs.browse(conn, "q", 10)
    assert len(set(ids)) == {"once": 1, "twice": 2}[fate]
    assert {done.by for done in run.steps} == {"pump", "another"}


# way | what a cancel before step 1, 2, ... leaves: how often it still ran
CANCELS = [
    (ENQUEUE_FIRST, "0 0 0 1 1 1 1"),
    (ONE_SCRIPT, "0 0 0 0 1"),
]


@pytest.mark.parametrize(
    ("way", "number", "ran"),
    [(way, number, int(ran)) for way, row in CANCELS for number, ran in enumerate(row.split(), 1)],
)
def test_a_cancel_before_each_step(conn: Connection, way: str, number: int, ran: int) -> None:
    run = scenario.cancelled_midway(registered(conn), "q", "daily", number, way=way)
    assert run.jobs == ran
    assert run.fate == {0: "not at all", 1: "once"}[ran]
    assert repeat.count(conn, "q") == 0
    assert keys_of(conn.client, "emq:{q}:repeat") == {}
    assert "while another connection was at work" in advance_readout.fate(run)


def test_each_occurrence_of_a_batch_stands_alone(conn: Connection) -> None:
    """Killed between the two writes of the second of three: that one runs twice, the others once."""
    for name in "abc":
        repeat.register(conn, "q", name, QUARTER, name)
    # promote, due, three records, then mint, enqueue, advance for each
    run = scenario.sweep_steps(conn, "q", kill_before=11)
    assert run.steps[-1].name == "enqueue"
    rows = [value for key, value in keys_of(conn.client, "emq:{q}:job:").items() if isinstance(value, dict)]
    assert sorted(row["payload"] for row in rows) == ["a", "b", "b", "c"]
    assert run.fate == "4 times"


@pytest.mark.parametrize("call", [scenario.sweep_steps, scenario.two_pumps])
def test_the_connection_is_as_before_when_the_knife_is_gone(conn: Connection, call: Callable[..., SweepRun]) -> None:
    registered(conn)
    where = {"kill_before": 6} if call is scenario.sweep_steps else {"before": 6}
    call(conn, "q", **where)
    assert "execute_command" not in vars(conn.client)
    assert "mint" not in vars(conn)


def test_a_run_is_the_same_on_every_store() -> None:
    traces = set()
    for url in (FAKEREDIS, FAKEREDIS, "embedded://valkey"):
        with connect(url, clock=FixedClock("09:00")) as conn:
            traces.add(scenario.two_pumps(registered(conn), "q", 5).trace.to_json())
    assert len(traces) == 1


def test_the_store_after_each_command_is_told_from_the_trace(conn: Connection) -> None:
    assert isinstance(conn.clock, FixedClock)
    conn.clock.set("09:00")
    run = scenario.sweep_steps(registered(conn), "q", kill_before=6)
    told = [advance_readout.state(run.trace, done) for done in range(len(run.trace.steps) + 1)]
    assert told[:5] == [("09:00", 0)] * 4 + [("09:00", 1)]
    assert told[-1] == ("09:15:01", 2)


def test_the_table_says_what_went_out_and_what_it_changed(conn: Connection) -> None:
    run = scenario.sweep_steps(registered(conn), "q", kill_before=6)
    rows = {step: (sent, changed) for step, sent, changed in advance_readout.steps(run).rows}
    (job, *_) = [key.removeprefix("emq:{q}:") for key in keys_of(conn.client, "emq:{q}:job:")]
    assert rows["2 due read"] == ("ZRANGEBYSCORE emq:{q}:repeat -inf 1767603000000 LIMIT 0 100", "nothing")
    assert rows["4 mint"] == ("(nothing: the host makes an id)", "nothing")
    assert rows["5 enqueue"] == (
        "enqueue.lua: EXISTS, HSET, ZADD",
        f"{job} + attempts = 0, payload = {{}}, state = pending\npending + {job.removeprefix('job:')} = 0",
    )
    assert rows["next tick, 6 advance"][1] == "repeat: daily 08:50 -> 09:05:01 (1767603901000)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kill_before": 0}, "the step must be a whole number from 1"),
        ({"kill_before": 8}, "the step must be at most 7 here: the sweep had 6 steps"),
        ({"way": "backwards"}, "way must be one of 'enqueue, then advance'"),
    ],
)
def test_another_step_or_way_is_refused(conn: Connection, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        scenario.sweep_steps(registered(conn), "q", **arguments)  # type: ignore[arg-type]


def test_it_wants_a_clock_that_stands() -> None:
    with connect(FAKEREDIS) as free, pytest.raises(ArgumentError, match="the clock must be a FixedClock"):
        scenario.sweep_steps(free, "q")


@pytest.mark.parametrize("repeats", [3, pytest.param(200, marks=pytest.mark.soak)])
@pytest.mark.parametrize("way", [ENQUEUE_FIRST, ONE_SCRIPT])
def test_no_kill_loses_an_occurrence_and_one_script_repeats_none(conn: Connection, way: str, repeats: int) -> None:
    clock, chance = conn.clock, Random(f"{way} {repeats}")
    assert isinstance(clock, FixedClock)
    clock.set("08:50", back=True)

    def schedule(queue: str) -> None:
        """Three registrations of any period, all due by the time of the sweep, by up to an hour."""
        for number in range(3):
            repeat.register(conn, queue, f"r{number}", chance.randrange(5_000, 90_000_000), f"t{number}")
        clock.advance(chance.randrange(3_600_000))

    schedule("whole")
    whole = [done.name for done in scenario.sweep_steps(conn, "whole", way=way).steps]
    for gap in range(1, len(whole) + 2):
        # Killed right after the enqueue of one of them, before its advance: that one runs twice.
        twice = whole[gap - 2 : gap] == ["enqueue", "advance"]
        for number in range(repeats):
            queue = f"q-{gap}-{number}"
            schedule(queue)
            run = scenario.sweep_steps(conn, queue, kill_before=gap, way=way)
            rows = [conn.send("HGET", job_key(queue, job_id), "payload") for job_id in jobs.browse(conn, queue, 10)]
            assert set(rows) == {"t0", "t1", "t2"}, (gap, number)
            assert len(rows) == run.jobs == 3 + twice, (gap, number)
            assert (run.answer is None, repeat.count(conn, queue)) == (True, 3)
            conn.client.delete(*keys_of(conn.client, queue_key(queue, "")))
    assert ("enqueue" in whole) is (way == ENQUEUE_FIRST)
