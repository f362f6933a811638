"""Dive 1 as a run: what the two rules name next, on both stores."""

import pytest

from echomq_lab import repeat, scenario, trace
from echomq_lab.cadence import Cron
from echomq_lab.clock import MAX_MS, FixedClock, instant_ms
from echomq_lab.embedded import EmbeddedServer
from echomq_lab.errors import ArgumentError, StoreError
from echomq_lab.ids import LAST_MS
from echomq_lab.store import Connection, connect

DAILY = Cron("0 9 * * *")
EIGHT_FIFTY = instant_ms("08:50")


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


@pytest.mark.parametrize(
    ("now", "every_ms", "runs", "message"),
    [
        (
            "08:50",
            2**53 - 1,
            2,
            r"^every_ms must be at most 125817348899999 here, so that run 2 is in the calendar, not ",
        ),
        ("08:50", 60 * 10**12, 20, r"^every_ms must be at most \d+ here, so that run 20 is in the calendar, not "),
        (
            "08:50",
            60 * 10**11,
            20,
            r"^every_ms must be at most 112394\d+ here, so that an id can be minted at run 19, ",
        ),
        ("2023-01-01", 900_000, 2, r"^the clock must be between 2024-01-01 and 2093-09-06 to mint an id, not '2023"),
        ("2094-01-01", 900_000, 2, r"^the clock must be between 2024-01-01 and 2093-09-06 to mint an id, not '2094"),
    ],
)
def test_a_run_that_reaches_too_far_is_refused_before_it_begins(
    conn: Connection, now: str, every_ms: int, runs: int, message: str
) -> None:
    assert isinstance(conn.clock, FixedClock)
    conn.clock.set(now, back=True)
    with pytest.raises(ArgumentError, match=message):
        scenario.cadences(conn, "rules", cron=DAILY, every_ms=every_ms, runs=runs)
    assert conn.send("DBSIZE") == 0
    assert conn.clock.now_ms() == instant_ms(now)


@pytest.mark.parametrize(("runs", "every_ms"), [(1, MAX_MS - EIGHT_FIFTY), (2, LAST_MS - EIGHT_FIFTY)])
def test_a_run_may_reach_as_far_as_there_are_instants_and_ids(conn: Connection, runs: int, every_ms: int) -> None:
    run = scenario.cadences(conn, "rules", cron=DAILY, every_ms=every_ms, runs=runs)
    assert run.lanes[1].marks_ms == tuple(EIGHT_FIFTY + every_ms * number for number in range(1, runs + 1))


def test_the_live_form_refuses_a_gap_past_the_calendar_and_shows_no_run_there(conn: Connection) -> None:
    with pytest.raises(ArgumentError, match=r"^every_ms must be at most \d+ here, so that run 1 is in the calendar, "):
        scenario.Cadences(conn, "rules", cron=DAILY, every_ms=2**53 - 1)
    assert conn.send("DBSIZE") == 0
    most = MAX_MS - EIGHT_FIFTY
    run = scenario.Cadences(conn, "rules", cron=DAILY, every_ms=most // 2)
    assert len(run.run(5).lanes[1].marks_ms) == 2
    with pytest.raises(ArgumentError, match=r"^every_ms must be at most "):
        run.register(most + 1)
    assert run.gap.every_ms == most // 2
    assert repeat.count(conn, "rules") == 1
    conn.send("FLUSHALL")
    with pytest.raises(ArgumentError, match=r"^queue must be a queue that still has 'every-gap'"):
        run.run()


def test_a_cron_rule_is_no_text(conn: Connection) -> None:
    told = r"^cron must be a Cron, not '0 9 \* \* \*'; try Cron\('0 9 \* \* \*'\)$"
    for make in (scenario.cadences, scenario.Cadences):
        with pytest.raises(ArgumentError, match=told):
            make(conn, "rules", cron="0 9 * * *", every_ms=900_000)
    assert conn.send("DBSIZE") == 0


@pytest.mark.parametrize("wrong", [None, "rules"])
def test_a_scenario_takes_a_connection(wrong: object) -> None:
    told = r"^conn must be a connection, not .*; make one with conn = connect\(\)$"
    with pytest.raises(ArgumentError, match=told):
        scenario.fresh_queue(wrong, "rules")
    with pytest.raises(ArgumentError, match=told):
        scenario.cadences(wrong, "rules", cron=DAILY, every_ms=900_000)
    with pytest.raises(ArgumentError, match=told):
        trace.record(wrong, "rules")


def test_a_setup_cell_tells_that_the_server_is_gone() -> None:
    server = EmbeddedServer()
    with connect(server.url, clock=FixedClock()) as conn:
        server.stop()
        with pytest.raises(StoreError, match=r"^the line to the store was lost"):
            scenario.fresh_queue(conn, "reports")
