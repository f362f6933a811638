"""A run as data: what went out, what came back, what changed; the same bytes from both stores."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echomq_lab import jobs, pump, repeat, scripts, trace
from echomq_lab.clock import FixedClock
from echomq_lab.embedded import EmbeddedServer
from echomq_lab.errors import KindError, LabError, ReplyError, StoreError
from echomq_lab.keyspace import record_key, registry_key
from echomq_lab.store import Connection, connect
from echomq_lab.trace import Change, Step

EIGHT_FIFTY = 1_767_603_000_000
QUARTER = 900_000
REGISTRY, RECORD = "emq:{reports}:repeat", "emq:{reports}:repeat:daily"


def sha(name: str) -> str:
    return hashlib.sha1(scripts.source(name).encode(), usedforsecurity=False).hexdigest()


def daily(conn: Connection) -> None:
    repeat.register(conn, "reports", "daily", QUARTER, "{}")


# ------------------------------------------------------------------------------------------------------- one step


def test_a_step_is_the_command_its_calls_its_reply_and_its_changes(conn: Connection) -> None:
    with trace.record(conn, "reports") as run:
        daily(conn)
    assert run.queue == "reports"
    assert run.steps == [
        Step(
            at_ms=EIGHT_FIFTY,
            command=(
                *("EVALSHA", sha("register"), "2", REGISTRY, RECORD),
                *("daily", "900000", "{}", str(EIGHT_FIFTY)),
            ),
            script="register",
            calls=(
                ("EXISTS", RECORD),
                ("HSET", RECORD, "every_ms", "900000", "template", "{}"),
                ("ZADD", REGISTRY, str(EIGHT_FIFTY), "daily"),
            ),
            reply=1,
            error=None,
            changes=(
                Change(REGISTRY, None, [["daily", EIGHT_FIFTY]]),
                Change(RECORD, None, {"every_ms": "900000", "template": "{}"}),
            ),
        )
    ]


def test_a_second_boot_calls_exists_and_changes_nothing(conn: Connection) -> None:
    daily(conn)
    with trace.record(conn, "reports") as run:
        daily(conn)
    (step,) = run.steps
    assert (step.calls, step.reply, step.changes) == ((("EXISTS", RECORD),), 0, ())


def test_a_sweep_is_told_command_by_command(conn: Connection) -> None:
    daily(conn)
    with trace.record(conn, "reports") as run:
        pump.sweep(conn, "reports")
    assert [step.script or step.command[0] for step in run.steps] == [
        "promote",
        "ZRANGEBYSCORE",
        "HMGET",
        "enqueue",
        "advance",
    ]
    assert run.changes("repeat") == [
        (EIGHT_FIFTY, Change(REGISTRY, [["daily", EIGHT_FIFTY]], [["daily", EIGHT_FIFTY + QUARTER]]))
    ]
    assert [change.before for _, change in run.changes("pending")] == [None]
    assert run.steps[2].reply == ["900000", "{}"]


def test_a_step_has_the_clocks_time(conn: Connection) -> None:
    with trace.record(conn, "reports") as run:
        repeat.count(conn, "reports")
        conn.clock.advance("15m")
        repeat.count(conn, "reports")
    assert [step.at_ms for step in run.steps] == [EIGHT_FIFTY, EIGHT_FIFTY + QUARTER]


@pytest.mark.parametrize("flushed", [True, False], ids=["script cache empty", "script cache warm"])
def test_loading_a_script_is_left_out(conn: Connection, flushed: bool) -> None:
    text = "return redis.call('GET', KEYS[1])"
    daily(conn)
    conn.client.register_script(text)(keys=["k"])
    if flushed:
        conn.send("SCRIPT", "FLUSH")
    with trace.record(conn, "reports") as run:
        daily(conn)
        conn.client.register_script(text)(keys=["k"])
    assert [(step.script, step.command[0], step.error) for step in run.steps] == [
        ("register", "EVALSHA", None),
        (None, "EVALSHA", None),
    ]


# ------------------------------------------------------------------------------------------------------------ errors


def test_an_error_reply_is_a_step_and_is_raised_as_without_a_trace(conn: Connection) -> None:
    with trace.record(conn, "reports") as run, pytest.raises(KindError):
        jobs.enqueue(conn, "reports", "ORD00000000001", "x")
    (step,) = run.steps
    assert (step.script, step.calls, step.reply, step.changes) == ("enqueue", (), None, ())
    assert step.error == "EMQKIND a queue takes ids that begin with JOB"


def test_what_a_failing_script_wrote_is_told(conn: Connection) -> None:
    """A script is not rolled back: the record is there though the registry is of another type."""
    conn.send("SET", REGISTRY, "x")
    with trace.record(conn, "reports") as run, pytest.raises(ReplyError):
        daily(conn)
    (step,) = run.steps
    assert step.error == "WRONGTYPE Operation against a key holding the wrong kind of value"
    assert [change.key for change in step.changes] == [RECORD]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("error('boom')", "script:1: boom"),
        ("local x\nreturn x.y", "script:2: attempt to index local 'x' (a nil value)"),
        ("return {err = 'MY words'}", "MY words"),
        ("return redis.error_reply('MY words')", "MY words"),
        (
            "return redis.pcall('LPUSH', KEYS[1], 1)",
            "WRONGTYPE Operation against a key holding the wrong kind of value",
        ),
    ],
)
def test_a_scripts_error_names_its_own_line(conn: Connection, text: str, error: str) -> None:
    daily(conn)
    with trace.record(conn, "reports") as run, pytest.raises(redis.ResponseError):
        conn.client.eval(text, 1, REGISTRY)
    assert [step.error for step in run.steps] == [error]


def test_a_lost_line_is_a_store_error_and_no_step() -> None:
    server = EmbeddedServer()
    with connect(server.url, clock=FixedClock()) as conn, trace.record(conn, "reports") as run:
        repeat.count(conn, "reports")
        server.stop()
        with pytest.raises(StoreError):
            repeat.count(conn, "reports")
        with pytest.raises(StoreError):
            conn.client.ping()
    assert len(run.steps) == 1


# ------------------------------------------------------------------------------------------------- what is seen of keys


@pytest.mark.parametrize(
    ("command", "after"),
    [
        (["SET", "k", "x"], "x"),
        (["RPUSH", "k", "b", "a"], ["b", "a"]),
        (["SADD", "k", "b", "a"], ["a", "b"]),
        (["HSET", "k", "b", "1", "a", "2"], {"a": "2", "b": "1"}),
        (["ZADD", "k", 2, "b", 1, "c", 1, "a"], [["a", 1], ["c", 1], ["b", 2]]),
        (["ZADD", "k", 0.5, "a"], [["a", 0.5]]),
        (["XADD", "k", "1-1", "a", "b"], "(stream)"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_key_of_any_type_is_seen(conn: Connection, command: list[Any], after: object) -> None:
    verb, kind, *rest = command
    with trace.record(conn, "reports") as run:
        conn.send(verb, f"emq:{{reports}}:{kind}", *rest)
        conn.send("DEL", f"emq:{{reports}}:{kind}")
    assert [(change.before, change.after) for _, change in run.changes("k")] == [(None, after), (after, None)]
    json.loads(run.to_json())


@pytest.mark.parametrize("queue", ["reports", "a*b", "[a]", "a?", "a\\", "日報", "\udcff", "\x00 \n", "a:b"], ids=ascii)
def test_only_the_queues_own_keys_are_seen(conn: Connection, queue: str) -> None:
    for other in ("repor", "reportsx", "aXb", "a", "ab", "x"):
        conn.send("SET", f"emq:{{{other}}}:k", "x")
    with trace.record(conn, queue) as run:
        conn.send("SET", f"emq:{{{queue}}}:k", "x")
        conn.send("SET", "emq:{x}:k", "y")
    assert [[change.key for change in step.changes] for step in run.steps] == [[f"emq:{{{queue}}}:k"], []]


def test_replies_of_every_kind_are_json(conn: Connection) -> None:
    daily(conn)
    client = conn.client
    with trace.record(conn, "reports") as run:
        client.get("nothing")
        client.zrange(REGISTRY, 0, -1, withscores=True)
        client.hgetall(RECORD)
        client.sadd("s", "b", "a")
        client.smembers("s")
        client.eval("return {1, false, 'x', {2}}", 0)
        client.eval("return", 0)
        client.eval("return {ok = 'FINE'}", 0)
        client.set("blob", b"\xff\x00")
        client.get("blob")
    assert [step.reply for step in run.steps] == [
        None,
        [["daily", EIGHT_FIFTY]],
        {"every_ms": "900000", "template": "{}"},
        2,
        ["a", "b"],
        [1, None, "x", [2]],
        None,
        "FINE",
        True,
        "\udcff\x00",
    ]
    assert json.loads(run.to_json())["steps"][8]["command"] == ["SET", "blob", "\udcff\x00"]


def test_a_learners_script_is_shown_plain_with_its_calls(conn: Connection) -> None:
    text = "for i = 1, 2 do redis.call('INCRBY', KEYS[1], i) end return redis.pcall('GET', KEYS[1])"
    with trace.record(conn, "reports") as run:
        assert conn.client.eval(text, 1, "emq:{reports}:n") == "3"
    (step,) = run.steps
    assert step.command == ("EVAL", text, "1", "emq:{reports}:n")
    assert step.calls == (
        ("INCRBY", "emq:{reports}:n", "1"),
        ("INCRBY", "emq:{reports}:n", "2"),
        ("GET", "emq:{reports}:n"),
    )


# ------------------------------------------------------------------------------------------------------ the recording


def test_valkeys_other_name_for_redis_is_seen(conn: Connection) -> None:
    with trace.record(conn, "reports") as run:
        conn.send("EVAL", "return server.call('HLEN', KEYS[1]) + #server.pcall('HKEYS', KEYS[1])", 1, "emq:{reports}:x")
    assert (run.steps[0].reply, run.steps[0].calls) == (0, (("HLEN", "emq:{reports}:x"), ("HKEYS", "emq:{reports}:x")))


def test_after_the_block_nothing_is_recorded(conn: Connection) -> None:
    with trace.record(conn, "reports") as run:
        daily(conn)
    with pytest.raises(KindError), trace.record(conn, "reports") as second:
        jobs.enqueue(conn, "reports", "ORD00000000001", "x")
    daily(conn)
    assert (len(run.steps), len(second.steps)) == (1, 1)
    assert "execute_command" not in vars(conn.client)


def test_one_recording_at_a_time(conn: Connection) -> None:
    with trace.record(conn, "reports") as run:
        with pytest.raises(LabError, match="recorded already"), trace.record(conn, "mail"):
            pass
        daily(conn)
    assert len(run.steps) == 1


def test_steps_of_threads_are_charged_with_their_own_changes(conn: Connection) -> None:
    names = [f"n{at}" for at in range(8)]
    with trace.record(conn, "reports") as run:
        threads = [
            threading.Thread(target=repeat.register, args=(conn, "reports", name, QUARTER, "")) for name in names
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(step.command[5] for step in run.steps) == names
    for step in run.steps:
        assert [change.key for change in step.changes] == [REGISTRY, record_key("reports", step.command[5])]


# ----------------------------------------------------------------------------------------- the same bytes, both stores


def everyday(conn: Connection) -> None:
    """Boots, sweeps, an outage, a cancel, one-shot jobs."""
    for _ in range(2):
        daily(conn)
        repeat.register(conn, "reports", "hourly", 3_600_000, b"\xff\x00", 60_000)
    jobs.enqueue_in(conn, "reports", conn.mint(), "later", 30_000)
    jobs.enqueue_at(conn, "reports", conn.mint(), "long ago", -1)
    for span in ("0m", "1m", "1h", "15m"):
        conn.clock.advance(span)
        pump.sweep(conn, "reports")
    jobs.browse(conn, "reports", 3)
    repeat.cancel(conn, "reports", "daily")
    pump.sweep(conn, "reports")
    jobs.pending_size(conn, "reports")


def broken(conn: Connection) -> None:
    """Half states, bad records, wrong types, refusals."""
    for name in ("a", "b", "c", "d"):
        repeat.register(conn, "reports", name, QUARTER, name)
    conn.send("DEL", record_key("reports", "a"))
    conn.send("HSET", record_key("reports", "b"), "every_ms", "soon")
    conn.send("HDEL", record_key("reports", "c"), "template")
    conn.send("SET", record_key("reports", "d"), "x")
    pump.sweep(conn, "reports")
    with pytest.raises(KindError):
        jobs.enqueue(conn, "reports", "ORD00000000001", "x")
    conn.send("DEL", registry_key("reports"))
    conn.send("SADD", registry_key("reports"), "z", "y")
    for call in (lambda: daily(conn), lambda: pump.sweep(conn, "reports"), lambda: repeat.count(conn, "reports")):
        with pytest.raises(ReplyError):
            call()


def wide(conn: Connection) -> None:
    """The ends of every range, and bytes that are no text."""
    repeat.register(conn, "reports", "\udcff\x00\n日", 2**53 - 1, b"\xfe", 2**53 - 1)
    repeat.register(conn, "reports", "fast", 1, "", 0)
    repeat.due(conn, "reports", 2**63 - 1)
    for at_ms in (-(2**63), 2**53 + 1, 2**63 - 1):
        jobs.enqueue_at(conn, "reports", conn.mint(), "x", at_ms)
    jobs.enqueue_in(conn, "reports", conn.mint(), "x", 2**53 - 1)
    pump.sweep(conn, "reports", 2**63 - 1)
    jobs.browse(conn, "reports", 2**63 - 1)


def traced(store: Connection | str, scenario: Callable[[Connection], None]) -> str:
    clock = FixedClock("08:50")
    with connect(store, clock=clock) if isinstance(store, str) else store.another(clock=clock) as conn:
        conn.send("FLUSHALL")
        conn.send("SCRIPT", "FLUSH")
        with trace.record(conn, "reports") as run:
            scenario(conn)
    return run.to_json()


@pytest.mark.parametrize("scenario", [everyday, broken, wide], ids=lambda scenario: scenario.__name__)
def test_a_scenario_gives_the_same_bytes_on_every_store(
    conn: Connection, scenario: Callable[[Connection], None]
) -> None:
    on_fakeredis = traced("embedded://fakeredis", scenario)
    assert on_fakeredis == traced(conn, scenario)
    assert len(json.loads(on_fakeredis)["steps"]) > 8


NAMES = st.sampled_from(["a", "B", "é", "\udcff"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("advance clock"), st.sampled_from([1, 60_000, 3_600_000])),
        st.tuples(st.just("register"), NAMES, st.integers(1, 2**53 - 1), st.binary(max_size=3), st.integers(0, 10**6)),
        st.tuples(st.just("cancel"), NAMES),
        st.tuples(st.just("advance"), NAMES, st.integers(1, 2**53 - 1)),
        st.tuples(st.just("lose"), NAMES),
        st.tuples(st.just("enqueue_at"), st.integers(-(2**63), 2**63 - 1)),
        st.tuples(st.just("enqueue_in"), st.integers(0, 2**53 - 1)),
        st.tuples(st.just("sweep"), st.integers(1, 3)),
    ),
    max_size=12,
)


def follow(steps: list[tuple[Any, ...]]) -> Callable[[Connection], None]:
    def scenario(conn: Connection) -> None:
        for verb, *rest in steps:
            if verb == "advance clock":
                conn.clock.advance(*rest)
            elif verb == "lose":
                conn.send("DEL", record_key("reports", *rest))
            elif verb in ("enqueue_at", "enqueue_in"):
                getattr(jobs, verb)(conn, "reports", conn.mint(), "x", *rest)
            elif verb == "sweep":
                pump.sweep(conn, "reports", *rest)
            else:
                getattr(repeat, verb)(conn, "reports", *rest)

    return scenario


@given(STEPS)
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
def test_any_run_gives_the_same_bytes_on_every_store(
    valkey_url: str, on_cluster: Connection, steps: list[tuple[Any, ...]]
) -> None:
    on_fakeredis = traced("embedded://fakeredis", follow(steps))
    assert on_fakeredis == traced(valkey_url, follow(steps)) == traced(on_cluster, follow(steps))


def test_the_trace_is_what_the_server_saw(valkey_url: str) -> None:
    """MONITOR, beside a run without a trace: the same commands and the same calls, in the same order."""
    seen: list[tuple[bool, str]] = []
    with connect(valkey_url, clock=FixedClock("08:50")) as conn, connect(valkey_url) as beside:
        conn.send("FLUSHALL")
        everyday(conn)  # loads the scripts
        conn.send("FLUSHALL")
        conn.clock.set("08:50", back=True)
        with beside.client.monitor() as monitor:
            everyday(conn)
            conn.send("ECHO", "the end")
            for line in monitor.listen():
                if line["command"].startswith("ECHO"):
                    break
                seen.append((line["client_type"] == "lua", line["command"].split(" ")[0]))
        recorded = json.loads(traced(valkey_url, everyday))["steps"]
    assert seen == [
        (by_script, words[0])
        for step in recorded
        for by_script, words in [(False, step["command"]), *((True, call) for call in step["calls"])]
    ]
