"""Dive 2 as a run: the registry after boots in every way and order, on both stores."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echomq_lab import repeat, scenario
from echomq_lab.clock import FixedClock, instant_ms
from echomq_lab.errors import ArgumentError, LabError
from echomq_lab.keyspace import queue_key, record_key, registry_key
from echomq_lab.scenario import Boots, Order, Schedule, Way, boots
from echomq_lab.store import Connection, connect
from echomq_lab.trace import keys_of

QUEUE = "reports"
DAILY = Schedule("daily", 900_000, '{"report": 7}', 900_000)
CLEAN = Schedule("clean-up", 3_600_000)


def held(conn: Connection) -> dict[str, object]:
    return dict(keys_of(conn.client, queue_key(QUEUE, "repeat")))


@pytest.mark.parametrize(
    ("way", "order", "answers", "entries", "called"),
    [
        # way, order: what three boots are told; the entries after boots a minute apart or all at 08:50; how often
        # EXISTS, HSET and ZADD ran
        ("guarded", "sequence", "registered exists exists", {"daily": "09:05"}, (3, 1, 1)),
        ("guarded", "turns", "registered exists exists", {"daily": "09:05"}, (3, 1, 1)),
        (
            "naive",
            "sequence",
            "added added added",
            {"daily#1": "09:05", "daily#2": "09:06", "daily#3": "09:07"},
            (0, 3, 3),
        ),
        (
            "naive",
            "turns",
            "added added added",
            {"daily#1": "09:05", "daily#2": "09:05", "daily#3": "09:05"},
            (0, 3, 3),
        ),
        # one entry still, but the live score has moved
        ("again", "sequence", "added rewritten rewritten", {"daily": "09:07"}, (0, 3, 3)),
        ("again", "turns", "added rewritten rewritten", {"daily": "09:05"}, (0, 3, 3)),
        # outside a script the guard holds for boots that do not meet, and for no others
        ("ask-first", "sequence", "added exists exists", {"daily": "09:05"}, (3, 1, 1)),
        ("ask-first", "turns", "added rewritten rewritten", {"daily": "09:05"}, (3, 3, 3)),
    ],
)
def test_three_boots(
    conn: Connection, way: str, order: str, answers: str, entries: dict[str, str], called: tuple[int, int, int]
) -> None:
    run = boots(conn, QUEUE, [DAILY], 3, way=way, order=order)
    assert list(run.answers) == answers.split()
    assert run.scores() == {name: instant_ms(wall) for name, wall in entries.items()}
    assert tuple(run.called(verb) for verb in ("EXISTS", "HSET", "ZADD")) == called
    assert (run.before, run.after, run.boots, run.at_ms) == ({}, held(conn), 3, instant_ms("08:50"))
    assert set(run.after) == {registry_key(QUEUE), *(record_key(QUEUE, name) for name in entries)}


@pytest.mark.parametrize(("way", "entries", "fired"), [("guarded", 2, 2), ("naive", 6, 6), ("again", 2, 2)])
def test_a_service_registers_all_its_schedules_at_every_boot(
    conn: Connection, way: str, entries: int, fired: int
) -> None:
    service = Boots(conn, QUEUE, [DAILY, CLEAN], way)
    assert len(service.boot(3).answers) == 6
    assert repeat.count(conn, QUEUE) == entries
    assert service.sweep().counts == {"fired": fired}


def test_a_second_boot_asks_once_and_writes_nothing(conn: Connection) -> None:
    service = Boots(conn, QUEUE, [DAILY])
    first, second = service.boot(), service.boot()
    (fresh,), (present,) = first.trace.steps, second.trace.steps
    assert (fresh.reply, [call[0] for call in fresh.calls]) == (1, ["EXISTS", "HSET", "ZADD"])
    assert (present.reply, [call[0] for call in present.calls]) == (0, ["EXISTS"])
    assert present.calls[0][1] == record_key(QUEUE, "daily")
    assert present.changes == ()
    assert second.before == second.after == first.after
    assert service.trace.steps == [fresh, present]
    assert (first.what, second.what) == ("boot 1", "boot 2")


def test_another_period_changes_nothing_and_cancel_makes_room(conn: Connection) -> None:
    service = Boots(conn, QUEUE, [DAILY])
    service.boot()
    service.schedules = [Schedule("daily", 3_600_000)]
    asked = service.boot()
    assert (asked.answers, asked.after) == (("exists",), asked.before)
    assert service.cancel().counts == {"cancelled": 1}
    assert held(conn) == {}
    assert service.cancel().counts == {"absent": 1}
    assert service.boot().answers == ("registered",)
    assert conn.client.hget(record_key(QUEUE, "daily"), "every_ms") == "3600000"


def test_a_cancel_by_name_finds_no_naive_entry(conn: Connection) -> None:
    service = Boots(conn, QUEUE, [DAILY], Way.NAIVE)
    service.boot(2)
    cancelled = service.cancel()
    assert (cancelled.answers, cancelled.after) == (("absent",), cancelled.before)


def test_the_duplicate_fires_twice_in_one_period(conn: Connection) -> None:
    service = Boots(conn, QUEUE, [DAILY], Way.NAIVE)
    service.boot(2)
    assert service.sweep().counts == {"fired": 2}
    assert conn.now_ms() == instant_ms("09:06")
    assert service.sweep().scores() == {"daily#1": instant_ms("09:35"), "daily#2": instant_ms("09:36")}


def test_who_writes_again_before_each_run_never_runs(conn: Connection) -> None:
    run = boots(conn, QUEUE, [DAILY], 10, way=Way.AGAIN, apart_ms=600_000)
    assert run.scores() == {"daily": conn.now_ms() + DAILY.first_in_ms}
    assert repeat.due(conn, QUEUE, 10) == []
    assert conn.now_ms() - run.at_ms == 9 * 600_000


def test_fifty_threads_register_one(conn: Connection) -> None:
    assert boots(conn, QUEUE, [DAILY], 50, order=Order.THREADS).counts == {"exists": 49, "registered": 1}
    assert repeat.count(conn, QUEUE) == 1
    assert boots(conn, "turns", [DAILY], 50, order=Order.TURNS).counts == {"exists": 49, "registered": 1}


def test_where_no_thread_starts_the_error_names_the_twin(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", refuse)
    with pytest.raises(LabError, match="no thread can start here; try order='turns', which needs none"):
        boots(conn, QUEUE, [DAILY], 3, order=Order.THREADS)
    assert held(conn) == {}


MOVES = st.lists(
    st.tuples(
        st.sampled_from(list(Order)),
        st.integers(1, 4),
        st.integers(1, 2**40),
        st.integers(0, 2**40),
        st.integers(0, 120_000),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=15)
@given(MOVES, st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=3, unique=True))
def test_over_any_boots_one_registered_a_name_and_no_live_score_moves(
    moves: list[tuple[Order, int, int, int, int]], names: list[str]
) -> None:
    with connect("embedded://fakeredis", clock=FixedClock("08:50")) as conn:
        service = Boots(conn, QUEUE, [])
        answers: list[str] = []
        live: dict[str, object] = {}
        for order, times, every_ms, first_in_ms, apart_ms in moves:
            service.schedules = [Schedule(name, every_ms, "{}", first_in_ms) for name in names]
            answers += service.boot(times, order=order, apart_ms=apart_ms).answers
            live = live or held(conn)
            assert held(conn) == live
        assert answers.count("registered") == len(names)
        assert answers.count("exists") == len(answers) - len(names)
        assert repeat.count(conn, QUEUE) == len(names)
        assert len(live) == len(names) + 1


def test_a_run_in_turns_is_the_same_on_every_store_and_every_time() -> None:
    traces = set()
    for url in ("embedded://fakeredis", "embedded://fakeredis", "embedded://valkey"):
        with connect(url, clock=FixedClock("08:50")) as conn:
            traces.add(boots(conn, QUEUE, [DAILY, CLEAN], 5, way=Way.ASK_FIRST, order=Order.TURNS).trace.to_json())
    assert len(traces) == 1


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"times": 0}, "times must be a whole number from 1 to 200, not 0"),
        ({"times": 201}, "times must be a whole number from 1 to 200"),
        ({"way": "upsert"}, "way must be one of 'guarded', 'naive', 'again', 'ask-first', not 'upsert'"),
        ({"order": "mixed"}, "order must be one of 'sequence', 'threads', 'turns', not 'mixed'"),
        ({"apart_ms": -1}, "apart_ms must be whole milliseconds"),
    ],
)
def test_a_refused_run_writes_nothing(conn: Connection, argument: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        boots(conn, QUEUE, [DAILY], **argument)  # type: ignore[arg-type]
    assert conn.send("DBSIZE") == 0


@pytest.mark.parametrize(("field", "value"), [("name", ""), ("every_ms", 0), ("template", 7), ("first_in_ms", -1)])
def test_a_schedule_is_what_register_takes(field: str, value: object) -> None:
    with pytest.raises(ArgumentError, match=field):
        Schedule(**{"name": "daily", "every_ms": 1, field: value})  # type: ignore[arg-type]


def test_time_between_boots_wants_a_clock_that_stands() -> None:
    with connect("embedded://fakeredis") as free:
        with pytest.raises(ArgumentError, match="the clock must be a FixedClock"):
            boots(free, QUEUE, [DAILY])
        assert boots(free, QUEUE, [DAILY], apart_ms=0).counts == {"exists": 2, "registered": 1}
        with pytest.raises(ArgumentError, match="the clock must be a FixedClock"):
            Boots(free, QUEUE, [DAILY]).sweep()


def test_a_sweep_of_an_empty_registry_fires_nothing_and_leaves_the_clock(conn: Connection) -> None:
    done = Boots(conn, QUEUE, [DAILY]).sweep()
    assert (done.answers, done.before, done.after, conn.now_ms()) == ((), {}, {}, instant_ms("08:50"))


def test_the_scenario_names_are_public() -> None:
    assert {"boots", "Boots", "BootRun", "Schedule", "Way", "Order"} <= set(scenario.__all__)


@pytest.mark.parametrize("repeats", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_fifty_threads_register_each_name_once_however_often(valkey_url: str, repeats: int) -> None:
    with connect(valkey_url, clock=FixedClock("08:50")) as conn:
        conn.client.flushall()
        for number in range(repeats):
            run = boots(conn, f"q-{number}", [DAILY, CLEAN], 50, order="threads")
            assert run.counts == {"exists": 98, "registered": 2}
            assert run.scores() == {"clean-up": instant_ms("08:50"), "daily": instant_ms("09:05")}


@pytest.mark.parametrize("repeats", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_fifty_boots_on_lines_of_their_own_race_and_one_registers(valkey_url: str, repeats: int) -> None:
    with ExitStack() as lines, ThreadPoolExecutor(50) as pool:
        conns = [lines.enter_context(connect(valkey_url, clock=FixedClock("08:50"))) for _ in range(50)]
        conns[0].client.flushall()
        for number in range(repeats):
            together = Barrier(50)

            def boot(conn: Connection, queue: str, together: Barrier) -> str:
                together.wait()
                return repeat.register(conn, queue, "daily", 900_000, "{}")

            answers = pool.map(boot, conns, [f"q-{number}"] * 50, [together] * 50)
            assert Counter(map(str, answers)) == {"registered": 1, "exists": 49}
