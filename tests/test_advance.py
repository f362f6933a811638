"""Dive 3's lanes on both stores: when three ways of writing the next run release their runs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echomq_lab import advance_readout, figures, repeat, scenario
from echomq_lab.clock import FixedClock, instant_ms
from echomq_lab.errors import ArgumentError
from echomq_lab.scenario import NAME, AdvanceRun
from echomq_lab.store import FAKEREDIS, Connection, connect
from echomq_lab.wording import clock_time

MINUTE = 60_000


def at_nine(conn: Connection) -> None:
    assert isinstance(conn.clock, FixedClock)
    conn.clock.set("09:00")


def times(run: AdvanceRun) -> dict[str, str]:
    return {lane.kind: " ".join(clock_time(at_ms) for at_ms in lane.marks_ms) for lane in run.lanes}


# every, run length and tick in minutes | start-to-start | start-to-finish | score-anchored
TABLE = [
    (15, 4, 1, "09:00 09:15 09:30 09:45", "09:00 09:19 09:38 09:57", "09:00 09:15 09:30 09:45"),
    (15, 0, 1, "09:00 09:15 09:30 09:45", "09:00 09:15 09:30 09:45", "09:00 09:15 09:30 09:45"),
    # a slow occurrence does not push the cadence later
    (15, 40, 1, "09:00 09:15 09:30 09:45", "09:00 09:55 10:50 11:45", "09:00 09:15 09:30 09:45"),
    # a late tick moves all later marks, but not those that count from the score
    (15, 4, 7, "09:00 09:21 09:42 10:03", "09:00 09:21 09:42 10:03", "09:00 09:21 09:35 09:49"),
    # a tick longer than the period: what was missed meanwhile fires no run of its own
    (5, 1, 12, "09:00 09:12 09:24 09:36", "09:00 09:12 09:24 09:36", "09:00 09:12 09:24 09:36"),
]


@pytest.mark.parametrize(("every", "length", "tick", "start", "finish", "score"), TABLE)
def test_three_ways_to_write_the_next_run(
    conn: Connection, every: int, length: int, tick: int, start: str, finish: str, score: str
) -> None:
    at_nine(conn)
    run = scenario.cadence_lanes(conn, "lanes", every * MINUTE, length * MINUTE, tick * MINUTE, recorded=False)
    assert times(run) == {"start": start, "finish": finish, "score": score}
    assert run.now_ms == instant_ms("09:00")
    assert conn.now_ms() == run.lanes[0].marks_ms[-1]


def test_the_marks_of_the_first_lane_are_what_the_trace_released(conn: Connection) -> None:
    at_nine(conn)
    run = scenario.cadence_lanes(conn, "lanes", tick_ms=7 * MINUTE)
    fired = [step.at_ms for step in run.trace.steps if step.script == "enqueue" and step.reply == 1]
    assert tuple(fired) == run.lanes[0].marks_ms
    assert scenario.scores(run.trace, NAME)[1:] == [at_ms + 15 * MINUTE for at_ms in fired]
    assert {step.script for step in run.trace.steps} == {"register", "promote", None, "enqueue", "advance"}


def test_a_run_is_the_same_on_every_store_recorded_or_not() -> None:
    runs = []
    for url, recorded in ((FAKEREDIS, True), (FAKEREDIS, False), ("embedded://valkey", True)):
        with connect(url, clock=FixedClock("09:00")) as conn:
            runs.append(scenario.cadence_lanes(conn, "lanes", recorded=recorded))
    assert runs[0].lanes == runs[1].lanes == runs[2].lanes
    assert runs[0].trace.to_json() == runs[2].trace.to_json()
    assert runs[1].trace.steps == []


def test_an_hours_outage_is_one_run_and_a_new_phase(conn: Connection) -> None:
    at_nine(conn)
    run = scenario.outage(conn, "rest")
    assert times(run)["start"] == "09:00 10:05 10:20 10:35"
    assert times(run)["score"] == "09:00 10:05 10:15 10:30"
    assert run.passed_ms == tuple(instant_ms(wall) for wall in ("09:15", "09:30", "09:45", "10:00"))
    enqueued = [step.at_ms for step in run.trace.steps if step.script == "enqueue"]
    assert sum(at_ms <= instant_ms("10:05") for at_ms in enqueued) == 2
    assert "The pump was stopped for 1 hour: 4 runs due meanwhile, 1 released." in advance_readout.drift(run)


def test_an_outage_between_two_runs_passes_over_none(conn: Connection) -> None:
    at_nine(conn)
    run = scenario.cadence_lanes(conn, "rest", stopped_ms=(MINUTE, 10 * MINUTE), recorded=False)
    assert times(run)["start"] == "09:00 09:15 09:30 09:45"
    assert run.passed_ms == ()
    assert "0 runs due meanwhile, 0 released" in advance_readout.drift(run)


def test_a_beat_of_a_second_and_ten_milliseconds_loses_36_seconds_an_hour(conn: Connection) -> None:
    """What rq-scheduler's issue 269 tells, with ten milliseconds for a look."""
    run = scenario.cadence_lanes(conn, "minutely", 60_000, 0, 1_010, 60, recorded=False)
    assert [lane.drift for lane in run.lanes] == [
        "drift 36 seconds",
        "drift 36 seconds",
        "drift 650 milliseconds",
    ]


spans_ms = st.integers(1, 5_000)


@given(every_ms=spans_ms, run_ms=st.integers(0, 5_000), tick_ms=spans_ms, cycles=st.integers(1, 4))
@settings(max_examples=40)
def test_the_rule_of_each_lane(every_ms: int, run_ms: int, tick_ms: int, cycles: int) -> None:
    """The first sweep at or after what was written: release, finish or score plus the period; drift never shrinks."""
    with connect(FAKEREDIS, clock=FixedClock("09:00")) as conn:
        run = scenario.cadence_lanes(conn, "q", every_ms, run_ms, tick_ms, cycles, recorded=False)
    start, finish, score = run.lanes
    for lane in (start, finish, score):
        assert len(lane.marks_ms) == cycles + 1
        assert all((at_ms - run.now_ms) % tick_ms == 0 for at_ms in lane.marks_ms)
        late = [lane.late_ms(number) for number in range(cycles + 1)]
        assert late[0] == 0
        if lane is score:
            assert all(0 <= each < every_ms for each in late)
    for lane, gap_ms in ((start, every_ms), (finish, every_ms + run_ms)):
        for one, other in zip(lane.marks_ms, lane.marks_ms[1:], strict=False):
            assert one + gap_ms <= other < one + gap_ms + tick_ms


def test_the_table_and_the_sentence_say_what_the_lanes_hold(conn: Connection) -> None:
    at_nine(conn)
    run = scenario.cadence_lanes(conn, "lanes", recorded=False)
    table = advance_readout.lanes(run)
    assert table.columns == ("run", "start-to-start", "start-to-finish", "score-anchored")
    assert [row[2] for row in table.rows] == [
        "09:00",
        "09:19, 4 minutes late",
        "09:38, 8 minutes late",
        "09:57, 12 minutes late",
    ]
    assert advance_readout.drift(run).split("\n") == [
        "start-to-start (EchoMQ): 09:00 09:15 09:30 09:45; after 3 cycles: no drift.",
        "start-to-finish (not EchoMQ): 09:00 09:19 09:38 09:57; after 3 cycles: drift 12 minutes.",
        "score-anchored (not EchoMQ): 09:00 09:15 09:30 09:45; after 3 cycles: no drift.",
    ]


def test_the_picture_says_the_same(conn: Connection) -> None:
    at_nine(conn)
    drawn = figures.rail(scenario.cadence_lanes(conn, "lanes", recorded=False))
    assert drawn.alt == (
        "A clock rail with 3 lanes; it begins on Monday 5 January 2026, 09:00 UTC. "
        "Lane start-to-start: release + 15 minutes (EchoMQ; no drift), circles: 09:00, 09:15, 09:30, 09:45. "
        "Lane start-to-finish: release + 4 minutes of work + 15 minutes (not EchoMQ; drift 12 minutes), "
        "squares: 09:00, 09:19, 09:38; beyond the right edge: 09:57. "
        "Lane score-anchored: score + 15 minutes (not EchoMQ; no drift), triangles: 09:00, 09:15, 09:30, 09:45."
    )
    lines = {line.get_gid(): line for line in drawn.figure.axes[0].lines}
    assert [lines[f"{kind}-0"].get_marker() for kind in ("start", "finish", "score")] == ["o", "s", "^"]
    assert {"start-bar-0", "finish-bar-2", "score-bar-3"} <= set(lines)
    assert "now" not in lines


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("every_ms", 0),
        ("every_ms", "15m"),
        ("run_ms", -1),
        ("tick_ms", 0),
        ("cycles", 0),
        ("cycles", 2.0),
        ("stopped_ms", (5, 5)),
        ("stopped_ms", (0, 5)),
    ],
)
def test_a_refused_run_writes_nothing(conn: Connection, argument: str, value: object) -> None:
    with pytest.raises(ArgumentError, match=argument):
        scenario.cadence_lanes(conn, "lanes", **{argument: value})  # type: ignore[arg-type]
    assert conn.send("DBSIZE") == 0


def test_it_wants_a_clock_that_stands_and_a_queue_of_its_own(conn: Connection) -> None:
    with connect(FAKEREDIS) as free, pytest.raises(ArgumentError, match="the clock must be a FixedClock"):
        scenario.cadence_lanes(free, "lanes")
    repeat.register(conn, "lanes", NAME, 1, "{}")
    with pytest.raises(ArgumentError, match="queue must be a queue without 'every-gap'"):
        scenario.cadence_lanes(conn, "lanes")
