"""Dive 1 as a run: what the two rules name next, on both stores."""

import pytest

from echomq_lab import repeat, scenario
from echomq_lab.cadence import Cron
from echomq_lab.clock import FixedClock, instant_ms
from echomq_lab.errors import ArgumentError
from echomq_lab.store import Connection, connect

DAILY = Cron("0 9 * * *")


def at(*walls: str) -> tuple[int, ...]:
    return tuple(instant_ms(wall) for wall in walls)


@pytest.mark.parametrize(
    ("now", "every_ms", "slots", "gaps"),
    [
        # the static verdicts of the seed
        ("08:50", 900_000, ("09:00", "2026-01-06T09:00Z", "2026-01-07T09:00Z"), ("09:05", "09:20", "09:35")),
        # at the slot, the slot is now itself
        ("09:00:00.000", 900_000, ("09:00", "2026-01-06T09:00Z", "2026-01-07T09:00Z"), ("09:15", "09:30", "09:45")),
        ("09:00:00.001", 1, ("2026-01-06T09:00Z", "2026-01-07T09:00Z", "2026-01-08T09:00Z"), None),
    ],
)
def test_two_rules_over_one_clock(
    conn: Connection, now: str, every_ms: int, slots: tuple[str, ...], gaps: tuple[str, ...] | None
) -> None:
    assert isinstance(conn.clock, FixedClock)
    conn.clock.set(now)
    run = scenario.cadences(conn, "rules", cron=DAILY, every_ms=every_ms)
    cron, interval = run.lanes
    now_ms = instant_ms(now)
    assert run.now_ms == now_ms
    assert cron.marks_ms == at(*slots)
    assert interval.marks_ms == (at(*gaps) if gaps else (now_ms + 1, now_ms + 2, now_ms + 3))
    assert (cron.source, interval.source) == ("predicted: computed by the rule", "scores that ZADD wrote")


def test_the_interval_marks_are_the_scores_the_registry_held(conn: Connection) -> None:
    run = scenario.cadences(conn, "rules", cron=DAILY, every_ms=900_000, runs=5)
    held = [change.after for _, change in run.trace.changes("repeat")]
    assert [[scenario.NAME, mark] for mark in run.lanes[1].marks_ms] == [entry for after in held for entry in after]
    assert len(held) == 5


def test_a_run_is_the_same_on_every_store_and_every_time() -> None:
    traces = set()
    for url in ("embedded://fakeredis", "embedded://fakeredis", "embedded://valkey"):
        with connect(url, clock=FixedClock("08:50")) as conn:
            traces.add(scenario.cadences(conn, "rules", cron=DAILY, every_ms=900_000).trace.to_json())
    assert len(traces) == 1


def test_a_cadence_run_wants_a_clock_that_stands_and_a_queue_of_its_own(conn: Connection) -> None:
    with (
        connect("embedded://fakeredis") as free,
        pytest.raises(ArgumentError, match=r"the clock must be a FixedClock, .*; try connect\(clock=FixedClock"),
    ):
        scenario.cadences(free, "rules", cron=DAILY, every_ms=900_000)
    scenario.cadences(conn, "rules", cron=DAILY, every_ms=900_000, runs=1)
    with pytest.raises(ArgumentError, match=r"queue must be a queue without 'every-gap', not 'rules'; try fresh_queue"):
        scenario.cadences(conn, "rules", cron=DAILY, every_ms=900_000)


@pytest.mark.parametrize(("argument", "value"), [("runs", 0), ("runs", 2.0), ("every_ms", 0), ("every_ms", "15m")])
def test_a_refused_run_writes_nothing(conn: Connection, argument: str, value: object) -> None:
    arguments: dict[str, object] = {"every_ms": 900_000, argument: value}
    with pytest.raises(ArgumentError, match=argument):
        scenario.cadences(conn, "rules", cron=DAILY, **arguments)  # type: ignore[arg-type]
    assert conn.send("DBSIZE") == 0


def test_a_fresh_queue_has_no_key_and_deletes_none(conn: Connection) -> None:
    assert scenario.fresh_queue(conn, "reports") == "reports"
    for queue, then in (("reports", "reports-2"), ("reports-2", "reports-3")):
        repeat.register(conn, queue, "daily", 1, "{}")
        assert scenario.fresh_queue(conn, "reports") == then
    assert repeat.count(conn, "reports") == 1
    # a queue whose name merely begins alike is another queue
    assert scenario.fresh_queue(conn, "report") == "report"
