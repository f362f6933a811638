"""The atomic sweep: it answers and leaves what the faithful sweep does, and no race or second sending doubles it."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echomq_lab import jobs, pump, repeat, scripts
from echomq_lab.clock import FixedClock
from echomq_lab.errors import ArgumentError, ReplyError
from echomq_lab.keyspace import job_key, queue_key, record_key, registry_key
from echomq_lab.store import Connection, connect
from echomq_lab.trace import keys_of

EIGHT_FIFTY = 1_767_603_000_000
QUARTER = 900_000
MOST = 2**53 - 1


def register(conn: Connection, *names: str) -> None:
    for name in names:
        repeat.register(conn, "q", name, QUARTER, name)


def payloads(conn: Connection) -> list[str]:
    """The payloads of the pending jobs, oldest mint first."""
    return [conn.send("HGET", job_key("q", each), "payload") for each in reversed(jobs.browse(conn, "q", 10_000))]


# ------------------------------------------------------------------------------------------------- the same as sweep

periods = st.sampled_from(
    [
        "900000",
        "1",
        "+5000",
        "0005000",
        str(MOST),
        str(MOST + 1),
        "0",
        "-5",
        "",
        "soon",
        "5.0",
        "5e3",
        " 5",
        "5\n",
        "9" * 40,
    ]
)
records = st.one_of(
    st.just(None),
    st.just("another type"),
    st.fixed_dictionaries({}, optional={"every_ms": periods, "template": st.sampled_from(["", "{}", "日報"])}),
)
entries = st.dictionaries(
    st.text(st.sampled_from("ab:{}é \n"), min_size=1, max_size=4),
    st.tuples(st.sampled_from([-1, 0, EIGHT_FIFTY - QUARTER, EIGHT_FIFTY, EIGHT_FIFTY + 1]), records),
    max_size=7,
)


def filled(conn: Connection, registry: dict[str, tuple[int, Any]], one_shots: list[int]) -> Connection:
    """Another connection, with its own minter, to the store that now holds these entries and one-shot jobs alone."""
    conn = conn.another(clock=FixedClock("08:50"))
    conn.send("FLUSHALL")
    for number, offset in enumerate(one_shots):
        jobs.enqueue_at(conn, "q", conn.mint(), f"one-shot {number}", EIGHT_FIFTY + offset)
    for name, (score, record) in registry.items():
        conn.send("ZADD", registry_key("q"), score, name)
        if record == "another type":
            conn.send("SET", record_key("q", name), "x")
        elif record:
            conn.send("HSET", record_key("q", name), *(word for pair in record.items() for word in pair))
    return conn


@given(registry=entries, one_shots=st.lists(st.integers(-2, 2), max_size=3), batch=st.integers(1, 8))
@settings(max_examples=60)
def test_it_answers_and_leaves_what_sweep_does(
    conn: Connection, registry: dict[str, tuple[int, Any]], one_shots: list[int], batch: int
) -> None:
    seen = []
    for sweep in (pump.sweep, pump.sweep_atomic):
        with filled(conn, registry, one_shots) as own:
            answer = sweep(own, "q", batch)
            seen.append((answer, keys_of(own.client, "emq:")))
    assert seen[0] == seen[1]


def test_a_sweep_of_nothing_runs_no_script(conn: Connection) -> None:
    repeat.register(conn, "q", "later", QUARTER, "{}", 1)
    before = keys_of(conn.client, "emq:")
    assert pump.sweep_atomic(conn, "q") == pump.Sweep(0, 0, 0, [])
    assert keys_of(conn.client, "emq:") == before


def test_one_member_and_each_run_a_job_in_mint_order(conn: Connection) -> None:
    assert isinstance(conn.clock, FixedClock)
    register(conn, "beat")
    for _ in range(50):
        assert pump.sweep_atomic(conn, "q").fired == 1
        conn.clock.advance(QUARTER)
    ids = jobs.browse(conn, "q", 100)
    assert repeat.count(conn, "q") == 1
    assert len(set(ids)) == 50
    assert ids == sorted(ids, reverse=True)


@pytest.mark.soak
def test_one_member_after_ten_thousand_runs(conn: Connection) -> None:
    assert isinstance(conn.clock, FixedClock)
    register(conn, "beat")
    for _ in range(10_000):
        pump.sweep_atomic(conn, "q")
        conn.clock.advance(QUARTER)
    ids = jobs.browse(conn, "q", 20_000)
    assert (repeat.count(conn, "q"), len(set(ids)), ids) == (1, 10_000, sorted(ids, reverse=True))


def test_a_server_that_forgot_the_scripts_is_given_them_again(conn: Connection) -> None:
    register(conn, "a")
    jobs.enqueue_at(conn, "q", conn.mint(), "one-shot", 0)
    conn.send("SCRIPT", "FLUSH")
    assert pump.sweep_atomic(conn, "q") == pump.Sweep(promoted=1, fired=1, swept=0, broken=[])


def test_a_schedule_of_another_type_promotes_nothing_and_the_rest_goes_on(
    conn: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    register(conn, "a")
    conn.send("SET", queue_key("q", "schedule"), "x")
    assert pump.sweep_atomic(conn, "q") == pump.Sweep(promoted=0, fired=1, swept=0, broken=[])
    assert "queue q: not_promoted: WRONGTYPE " in caplog.text


def test_broken_and_dangling_names_do_not_stop_the_batch(conn: Connection) -> None:
    register(conn, "a", "broken", "dangling", "odd", "z")
    conn.send("HSET", record_key("q", "broken"), "every_ms", "soon")
    conn.send("DEL", record_key("q", "dangling"))
    conn.send("DEL", record_key("q", "odd"))
    conn.send("RPUSH", record_key("q", "odd"), "x")
    assert pump.sweep_atomic(conn, "q") == pump.Sweep(promoted=0, fired=2, swept=1, broken=["broken", "odd"])
    assert payloads(conn) == ["a", "z"]
    assert pump.sweep_atomic(conn, "q") == pump.Sweep(0, 0, 0, ["broken", "odd"])


def test_ids_are_minted_for_what_is_due_and_no_more(conn: Connection) -> None:
    register(conn, "a", "b", "c")
    minted: list[int] = []
    mint_many = conn.mint_many
    conn.mint_many = lambda count: minted.append(count) or mint_many(count)  # type: ignore[func-returns-value, method-assign]
    assert [pump.sweep_atomic(conn, "q", 2).fired for _ in range(3)] == [2, 1, 0]
    assert minted == [2, 1]


@pytest.mark.parametrize("batch", [0, -1, 2**63, True, 1.0, "100", None], ids=ascii)
def test_another_batch_is_refused_before_anything_is_sent(conn: Connection, batch: object) -> None:
    register(conn, "a")
    before = keys_of(conn.client, "emq:")
    with pytest.raises(ArgumentError, match=r"^batch must be a whole number from 1"):
        pump.sweep_atomic(conn, "q", batch)  # type: ignore[arg-type]
    assert keys_of(conn.client, "emq:") == before


def test_a_registry_of_another_type_is_raised(conn: Connection) -> None:
    conn.send("SET", registry_key("q"), "x")
    with pytest.raises(ReplyError, match=r"^WRONGTYPE "):
        pump.sweep_atomic(conn, "q")


# --------------------------------------------------------------------------------------- sent twice, and by two pumps


def test_a_script_that_is_sent_again_advances_nothing_it_does_not_enqueue(conn: Connection) -> None:
    """The reply was lost, a client sends the same again, and meanwhile another entry fell due."""
    assert isinstance(conn.clock, FixedClock)
    register(conn, "first")
    keys, ids = [registry_key("q"), queue_key("q", "pending")], [conn.mint()]
    answers = [scripts.run(conn, "sweep", keys, [queue_key("q", ""), conn.now_ms(), *ids])]
    register(conn, "second")
    answers.append(scripts.run(conn, "sweep", keys, [queue_key("q", ""), conn.now_ms(), *ids]))
    assert answers == [[1, 0, []], [0, 0, []]]
    assert [each.name for each in repeat.due(conn, "q", 10)] == ["second"]
    assert pump.sweep_atomic(conn, "q").fired == 1
    assert payloads(conn) == ["first", "second"]


@pytest.mark.parametrize("nodes", [(0, 1), (7, 7)], ids=["a node each", "one node for both"])
def test_two_racing_pumps_release_each_occurrence_once(valkey_url: str, nodes: tuple[int, int]) -> None:
    """Even two pumps that mint the same ids lose nothing: what was not enqueued is still due."""
    count = 400
    with connect(valkey_url, clock=FixedClock("08:50")) as conn:
        conn.send("FLUSHALL")
        register(conn, *(f"n{number}" for number in range(count)))
        fired: list[int] = []
        start = threading.Barrier(2)

        def pumping(node: int) -> None:
            with connect(valkey_url, clock=FixedClock("08:50"), node=node) as own:
                start.wait(10)
                while repeat.due_names(own, "q", 1):
                    fired.append(pump.sweep_atomic(own, "q", 10).fired)

        pumps = [threading.Thread(target=pumping, args=(node,)) for node in nodes]
        for each in pumps:
            each.start()
        for each in pumps:
            each.join(30)
        assert sum(fired) == count
        assert sorted(payloads(conn)) == sorted(f"n{number}" for number in range(count))
