"""The doctor of a queue, on both stores: each fault named, each mended by what is told, and nothing written."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis
from hypothesis import given, settings
from hypothesis import strategies as st
from test_pump import BAD_PERIODS

from echomq_lab import cli, jobs, pump, queue_doctor_command, repeat, scripts
from echomq_lab.clock import FixedClock
from echomq_lab.errors import ArgumentError, ReplyError, StoreError
from echomq_lab.queue_doctor import MOST_EXAMPLES, PAGE, Report, examine
from echomq_lab.queue_doctor_command import pasted, redis_cli, show
from echomq_lab.queue_findings import KINDS, Finding, State
from echomq_lab.store import VALKEY, Connection, connect
from echomq_lab.trace import keys_of

NOW, MINUTE, QUARTER = 1_767_603_000_000, 60_000, 900_000
E = "emq:{reports}:"
ID, OTHER, USR = "JOB0KHTOWnGLuC", "JOB0KHTOWnGLuD", "USR0KHTOWnGLuC"
REPEAT, PENDING, SCHEDULE, ACTIVE, DEAD = (E + own for own in ("repeat", "pending", "schedule", "active", "dead"))
RECORD, ROW = f"{E}repeat:daily", f"{E}job:{ID}"
Words = tuple[Any, ...]


def sound(conn: Connection) -> None:
    """A queue with one registration and one pending job, at 08:50."""
    conn.send("FLUSHALL")
    repeat.register(conn, "reports", "daily", QUARTER, "{}", MINUTE)
    jobs.enqueue(conn, "reports", ID, "{}")


def held(conn: Connection) -> dict[str, Any]:
    return keys_of(conn.client, "")


def findings(report: Report) -> list[Finding]:
    return [finding for kind in KINDS if kind in report.found for finding in report.found[kind].examples]


def told(finding: Finding) -> tuple[str, str, str]:
    """A finding in the words of the report: its kind, what is held where, the commands."""
    where = f"{queue_doctor_command._place(finding)}: {finding.holds}".removeprefix(E)
    return finding.kind.name, where, pasted(["cli"], finding).replace(E, "~")


def mend(conn: Connection, finding: Finding) -> None:
    """Do what the pasted line does."""
    for command in pasted([], finding).split(" && "):
        conn.send(*unquoted(shlex.split(command)))


def unquoted(words: list[str]) -> list[str]:
    """The words that redis-cli sends for those that a shell gives it."""
    if words[0] != "--quoted-input":
        return words
    return [
        word[1:-1].encode().decode("unicode_escape").encode("latin-1").decode("utf-8", "surrogateescape")
        if word.startswith('"')
        else word
        for word in words[1:]
    ]


# ----------------------------------------------------------------------------------------------- one fault at a time

# What breaks a sound queue, then the kind, what is told, and what mends it: ~ stands for emq:{reports}:
FAULTS: list[tuple[list[Words], str, str, str]] = [
    (
        [("ZADD", REPEAT, 5, "ghost")],
        "member without record",
        "repeat, member 'ghost': next run 5",
        "cli ZREM '~repeat' ghost",
    ),
    (
        [("ZREM", REPEAT, "daily")],
        "record without member",
        "repeat:daily: every_ms '900000', a template",
        "cli DEL '~repeat:daily'",
    ),
    (
        [("SET", f"{E}repeat:old", "x")],
        "record without member",
        "repeat:old: a string",
        "cli DEL '~repeat:old'",
    ),
    (
        [("HDEL", RECORD, "template")],
        "record without a field",
        "repeat:daily, field template: every_ms '900000', no template",
        "cli DEL '~repeat:daily' && cli ZREM '~repeat' daily",
    ),
    (
        [("HDEL", RECORD, "every_ms")],
        "record without a field",
        "repeat:daily, field every_ms: no every_ms, a template",
        "cli DEL '~repeat:daily' && cli ZREM '~repeat' daily",
    ),
    (
        [("HDEL", RECORD, "every_ms", "template"), ("HSET", RECORD, "extra", 1)],
        "record without a field",
        "repeat:daily, field every_ms: no every_ms, no template",
        "cli DEL '~repeat:daily' && cli ZREM '~repeat' daily",
    ),
    (
        [("HSET", RECORD, "every_ms", "soon")],
        "every_ms that is no period",
        "repeat:daily, field every_ms: 'soon'",
        "cli DEL '~repeat:daily' && cli ZREM '~repeat' daily",
    ),
    (
        [("DEL", RECORD), ("RPUSH", RECORD, "x")],
        "record of another type",
        "repeat:daily: a list",
        "cli DEL '~repeat:daily' && cli ZREM '~repeat' daily",
    ),
    (
        [("ZADD", REPEAT, NOW, ""), ("HSET", f"{E}repeat:", "every_ms", 1, "template", "")],
        "name without text",
        f"repeat, member '': next run {NOW}",
        "cli DEL '~repeat:' && cli ZREM '~repeat' ''",
    ),
    (
        [("ZADD", REPEAT, "2.5", "daily")],
        "next run that is no millisecond",
        "repeat, member 'daily': 2.5",
        "cli ZADD '~repeat' XX 2 daily",
    ),
    (
        [("ZADD", REPEAT, "+inf", "daily")],
        "next run that is no millisecond",
        "repeat, member 'daily': +inf",
        f"cli ZADD '~repeat' XX {NOW + QUARTER} daily",
    ),
    (
        [("ZADD", REPEAT, "-inf", "daily")],
        "next run that is no millisecond",
        "repeat, member 'daily': -inf",
        f"cli ZADD '~repeat' XX {NOW} daily",
    ),
    (
        [("ZADD", REPEAT, 2**53, "daily")],
        "next run that is no millisecond",
        f"repeat, member 'daily': {2**53}",
        f"cli ZADD '~repeat' XX {NOW + QUARTER} daily",
    ),
    (
        [("ZADD", PENDING, 0, "nonsense")],
        "id that is no branded id",
        "pending, member 'nonsense': in pending",
        "cli ZREM '~pending' nonsense",
    ),
    (
        [("HSET", f"{E}job:nonsense", "state", "pending")],
        "id that is no branded id",
        "job:nonsense: in no set",
        "cli DEL '~job:nonsense'",
    ),
    (
        [("ZADD", DEAD, 0, USR), ("HSET", f"{E}job:{USR}", "state", "dead", "attempts", 3, "payload", "")],
        "id that is no JOB id",
        f"dead, member '{USR}': in dead",
        f"cli ZREM '~dead' {USR} && cli DEL '~job:{USR}'",
    ),
    (
        [("DEL", ROW)],
        "id without row",
        f"pending, member '{ID}': in pending",
        f"cli ZREM '~pending' {ID}",
    ),
    (
        [("DEL", ROW), ("ZADD", ACTIVE, NOW, ID), ("ZADD", DEAD, 0, ID)],
        "id without row",
        f"pending, member '{ID}': in pending and active and dead",
        f"cli ZREM '~pending' {ID} && cli ZREM '~active' {ID} && cli ZREM '~dead' {ID}",
    ),
    (
        [("ZREM", PENDING, ID), ("HSET", ROW, "state", "active")],
        "row in no set",
        f"job:{ID}: state 'active'",
        f"cli HSET '~job:{ID}' state pending && cli ZADD '~pending' 0 {ID}",
    ),
    (
        [("ZREM", PENDING, ID), ("HDEL", ROW, "state")],
        "row in no set",
        f"job:{ID}: no state",
        f"cli HSET '~job:{ID}' state pending && cli ZADD '~pending' 0 {ID}",
    ),
    (
        [("ZADD", SCHEDULE, NOW + 1, ID)],
        "id in two sets",
        f"pending, member '{ID}': in pending and schedule; state 'pending'",
        f"cli ZREM '~schedule' {ID} && cli HSET '~job:{ID}' state pending",
    ),
    (
        [("ZADD", DEAD, 0, ID), ("HSET", ROW, "state", "dead")],
        "id in two sets",
        f"pending, member '{ID}': in pending and dead; state 'dead'",
        f"cli ZREM '~pending' {ID} && cli HSET '~job:{ID}' state dead",
    ),
    (
        [("DEL", ROW), ("SADD", ROW, "x")],
        "row of another type",
        f"job:{ID}: a set; in pending",
        f"cli ZREM '~pending' {ID} && cli DEL '~job:{ID}'",
    ),
    (
        [("HDEL", ROW, "payload")],
        "row without payload",
        f"job:{ID}, field payload: state 'pending'; in pending",
        f"cli ZREM '~pending' {ID} && cli DEL '~job:{ID}'",
    ),
    (
        [("HDEL", ROW, "payload", "state"), ("ZREM", PENDING, ID)],
        "row without payload",
        f"job:{ID}, field payload: no state; in no set",
        f"cli DEL '~job:{ID}'",
    ),
    (
        [("HDEL", ROW, "state")],
        "row without state",
        f"job:{ID}, field state: in pending",
        f"cli HSET '~job:{ID}' state pending",
    ),
    (
        [("HDEL", ROW, "attempts")],
        "row without attempts",
        f"job:{ID}, field attempts: in pending",
        f"cli HSET '~job:{ID}' attempts 0",
    ),
    (
        [("HSET", ROW, "state", "\udcff")],
        "state that its set belies",
        f"job:{ID}, field state: '\\\\xff'; in pending",
        f"cli HSET '~job:{ID}' state pending",
    ),
    (
        [("HSET", ROW, "attempts", "two")],
        "attempts that are no count",
        f"job:{ID}, field attempts: 'two'",
        f"cli HSET '~job:{ID}' attempts 0",
    ),
    (
        [("ZADD", PENDING, 3, ID)],
        "pending score that is not 0",
        f"pending, member '{ID}': 3",
        f"cli ZADD '~pending' XX 0 {ID}",
    ),
    (
        [("ZREM", PENDING, ID), ("ZADD", DEAD, "0.5", ID), ("HSET", ROW, "state", "dead")],
        "dead score that is not 0",
        f"dead, member '{ID}': 0.5",
        f"cli ZADD '~dead' XX 0 {ID}",
    ),
    (
        [("ZREM", PENDING, ID), ("ZADD", SCHEDULE, "+inf", ID), ("HSET", ROW, "state", "scheduled")],
        "due time that is no millisecond",
        f"schedule, member '{ID}': +inf",
        f"cli ZADD '~schedule' XX {NOW} {ID}",
    ),
    (
        [("ZREM", PENDING, ID), ("ZADD", ACTIVE, "9.5", ID), ("HSET", ROW, "state", "active", "attempts", 1)],
        "lease that is no millisecond",
        f"active, member '{ID}': 9.5",
        f"cli ZADD '~active' XX 9 {ID}",
    ),
    (
        [("HSET", f"{E}metrics:completed", "count", "many")],
        "count that is no number",
        "metrics:completed, field count: 'many'",
        "cli HSET '~metrics:completed' count 0",
    ),
    *(
        (
            [("DEL", E + own), ("SET", E + own, "x")],
            f"{own} of another type",
            f"{own}: a string",
            f"cli RENAMENX '~{own}' 'aside:{{reports}}:{own}'",
        )
        for own in ("schedule", "active", "dead", "meta", "metrics:completed")
    ),
]


@pytest.mark.parametrize(
    ("breaking", "kind", "where", "line"), FAULTS, ids=[f"{at}-{row[1]}" for at, row in enumerate(FAULTS)]
)
def test_a_fault_is_named_once_and_gone_when_it_is_mended(
    conn: Connection, breaking: list[Words], kind: str, where: str, line: str
) -> None:
    sound(conn)
    for command in breaking:
        conn.send(*command)
    before = held(conn)
    report = examine(conn, "reports")
    assert held(conn) == before
    assert report.faults == 1
    (finding,) = (each for each in findings(report) if each.kind.state is State.FAULT)
    assert told(finding) == (kind, where, line)
    mend(conn, finding)
    assert examine(conn, "reports").faults == 0


@pytest.mark.parametrize("own", ["repeat", "pending"])
def test_moving_a_key_of_another_type_aside_brings_to_light_what_it_hid(conn: Connection, own: str) -> None:
    sound(conn)
    conn.send("DEL", E + own)
    conn.send("RPUSH", E + own, "x")
    turns = []
    while (report := examine(conn, "reports")).faults:
        (finding,) = (each for each in findings(report) if each.kind.state is State.FAULT)
        turns.append(told(finding))
        mend(conn, finding)
    hidden = {
        "repeat": ("record without member", "repeat:daily: every_ms '900000', a template", "cli DEL '~repeat:daily'"),
        "pending": (
            "row in no set",
            f"job:{ID}: state 'pending'",
            f"cli HSET '~job:{ID}' state pending && cli ZADD '~pending' 0 {ID}",
        ),
    }
    moved = (f"{own} of another type", f"{own}: a list", f"cli RENAMENX '~{own}' 'aside:{{reports}}:{own}'")
    assert turns == [moved, hidden[own]]
    assert conn.send("LRANGE", f"aside:{{reports}}:{own}", 0, -1) == ["x"]


@pytest.mark.parametrize(
    ("telling", "kind", "where"),
    [
        (
            [("ZADD", REPEAT, NOW - QUARTER, "daily")],
            "registration due",
            f"repeat, member 'daily': the oldest, due at {NOW - QUARTER}, 15 minutes ago",
        ),
        (
            [("ZADD", REPEAT, NOW, "daily")],
            "registration due",
            f"repeat, member 'daily': the oldest, due at {NOW}, now",
        ),
        (
            [("ZREM", PENDING, ID), ("ZADD", SCHEDULE, NOW - 1, ID), ("HSET", ROW, "state", "scheduled")],
            "scheduled job due",
            f"schedule, member '{ID}': the oldest, due at {NOW - 1}, 1 millisecond ago",
        ),
        (
            [("ZREM", PENDING, ID), ("ZADD", ACTIVE, NOW - MINUTE, ID), ("HSET", ROW, "state", "active")],
            "lease that ran out",
            f"active, member '{ID}': until {NOW - MINUTE}, 1 minute ago",
        ),
        ([("HSET", f"{E}meta", "paused", "1")], "paused", "meta, field paused: '1'"),
        (
            [("ZREM", PENDING, ID), ("HSET", ROW, "group", "eu")],
            "row of a lane or a flow",
            f"job:{ID}: state 'pending', group 'eu'",
        ),
        (
            [("ZREM", PENDING, ID), ("HSET", ROW, "state", "awaiting_children")],
            "row of a lane or a flow",
            f"job:{ID}: state 'awaiting_children'",
        ),
        ([("SET", f"{ROW}:dependencies", 2)], "key outside the contract", f"job:{ID}:dependencies: not read"),
        ([("SET", f"{E}flow:outbox", "x")], "key outside the contract", "flow:outbox: not read"),
        ([("FLUSHALL",)], "queue without keys", "*: no such key"),
    ],
)
def test_what_is_worth_knowing_is_no_fault(conn: Connection, telling: list[Words], kind: str, where: str) -> None:
    sound(conn)
    for command in telling:
        conn.send(*command)
    report = examine(conn, "reports")
    assert report.faults == 0
    assert [told(finding) for finding in findings(report)] == [(kind, where, "")]


def test_what_cannot_be_looked_at_is_said(conn: Connection) -> None:
    sound(conn)
    conn.send("SET", DEAD, "x")
    conn.send("DEL", ROW)
    assert [told(finding)[:2] for finding in findings(examine(conn, "reports"))] == [
        ("dead of another type", "dead: a string"),
        ("not looked at", "dead: the jobs"),
    ]


def test_several_faults_of_one_job_are_told_and_mended_each(conn: Connection) -> None:
    sound(conn)
    conn.send("HSET", ROW, "state", "dead", "attempts", "-1")
    conn.send("ZADD", PENDING, 3, ID)
    found = findings(examine(conn, "reports"))
    assert [finding.kind.name for finding in found] == [
        "state that its set belies",
        "attempts that are no count",
        "pending score that is not 0",
    ]
    for finding in found:
        mend(conn, finding)
    assert examine(conn, "reports").faults == 0


@pytest.mark.parametrize("every_ms", BAD_PERIODS, ids=lambda text: ascii(text[:20]))
def test_a_period_that_the_pump_calls_broken_is_named(conn: Connection, every_ms: str) -> None:
    sound(conn)
    conn.send("HSET", RECORD, "every_ms", every_ms)
    conn.clock.advance(QUARTER)
    assert [finding.kind.name for finding in findings(examine(conn, "reports"))] == [
        "every_ms that is no period",
        "registration due",
    ]
    assert pump.sweep(conn, "reports").broken == ["daily"]


@pytest.mark.parametrize(
    "command", [("SET", "x"), ("RPUSH", "x"), ("SADD", "x"), ("ZADD", 1, "x")], ids=lambda words: words[0]
)
def test_a_record_that_the_pump_calls_broken_is_named(conn: Connection, command: Words) -> None:
    sound(conn)
    conn.send("DEL", RECORD)
    conn.send(command[0], RECORD, *command[1:])
    conn.clock.advance(QUARTER)
    assert [finding.kind.name for finding in findings(examine(conn, "reports"))] == [
        "record of another type",
        "registration due",
    ]
    assert pump.sweep(conn, "reports").broken == ["daily"]


@pytest.mark.parametrize("every_ms", ["1", "+5000", "0005000", str(2**53 - 1)])
def test_a_period_that_the_pump_reads_and_fields_that_it_does_not_are_no_fault(conn: Connection, every_ms: str) -> None:
    sound(conn)
    conn.send("HSET", RECORD, "every_ms", every_ms, "owner", "me")
    conn.send("HSET", ROW, "last_error", "x")
    assert findings(examine(conn, "reports")) == []


@pytest.mark.parametrize("attempts", ["", "two", "-1", "+1", "01", "1.0", " 1", "\u0665", str(2**53 - 1), "9" * 400])
def test_attempts_that_a_claim_cannot_count(conn: Connection, attempts: str) -> None:
    sound(conn)
    conn.send("HSET", ROW, "attempts", attempts)
    (finding,) = findings(examine(conn, "reports"))
    assert finding.kind.name == "attempts that are no count"


def test_attempts_that_a_claim_can_count(conn: Connection) -> None:
    sound(conn)
    conn.send("HSET", ROW, "attempts", 2**53 - 2)
    assert findings(examine(conn, "reports")) == []
    assert jobs.claim(conn, "reports", MINUTE) == (ID, "{}", 2**53 - 1)


# ---------------------------------------------------------------------------------------- what a finding's kind says


def kinds(conn: Connection) -> list[str]:
    return [finding.kind.name for finding in findings(examine(conn, "reports"))]


def test_what_comes_of_a_half_registration_is_what_is_said(conn: Connection) -> None:
    sound(conn)
    conn.send("ZADD", REPEAT, 5, "ghost")
    conn.send("ZREM", REPEAT, "daily")
    assert str(repeat.register(conn, "reports", "daily", QUARTER, "{}")) == "exists"
    assert pump.sweep(conn, "reports") == pump.Sweep(promoted=0, fired=0, swept=1)
    assert kinds(conn) == ["record without member"]


@pytest.mark.parametrize("sweep", [pump.sweep, pump.sweep_atomic])
def test_the_empty_name_is_broken_and_stops_no_sweep(conn: Connection, sweep: Callable[..., pump.Sweep]) -> None:
    sound(conn)
    conn.send("ZADD", REPEAT, 5, "")
    conn.send("HSET", f"{E}repeat:", "every_ms", 5, "template", "x")
    assert kinds(conn) == ["name without text", "registration due"]
    assert sweep(conn, "reports").broken == [""]


@pytest.mark.parametrize("breaking", [("HSET", ROW, "attempts", "two"), ("SET", ROW, "x")], ids=["attempts", "type"])
def test_a_claim_that_fails_on_a_row_leaves_the_job_in_no_set(conn: Connection, breaking: Words) -> None:
    sound(conn)
    conn.send("DEL", ROW)
    conn.send(*breaking)
    with pytest.raises(ReplyError, match=r"not an integer|WRONGTYPE"):
        jobs.claim(conn, "reports", MINUTE)
    assert conn.send("ZCARD", PENDING) == conn.send("ZCARD", ACTIVE) == 0


def test_an_id_without_a_row_is_handed_out_and_stays(conn: Connection) -> None:
    sound(conn)
    conn.send("DEL", ROW)
    claimed = jobs.claim(conn, "reports", MINUTE)
    assert claimed == (ID, None, 1)
    assert kinds(conn) == ["row without payload"]
    conn.send("DEL", ROW)
    assert str(jobs.complete(conn, "reports", ID, 1)) == "gone"
    assert kinds(conn) == ["id without row"]


# ------------------------------------------------------------------------------------------------ a queue that is sound

NAMES = st.sampled_from(["daily", "weekly", "a b", "caf\u00e9", "\udcff\n'\""])
VERBS: dict[str, Callable[..., Any]] = {
    "register": lambda conn, name, n: repeat.register(conn, "reports", name, n * MINUTE + 1, name, n * MINUTE),
    "cancel": lambda conn, name, n: repeat.cancel(conn, "reports", name),
    "advance": lambda conn, name, n: repeat.advance(conn, "reports", name, n * MINUTE + 1),
    "enqueue": lambda conn, name, n: jobs.enqueue(conn, "reports", conn.mint(), name),
    "enqueue_in": lambda conn, name, n: jobs.enqueue_in(conn, "reports", conn.mint(), name, n * MINUTE),
    "enqueue_at": lambda conn, name, n: jobs.enqueue_at(conn, "reports", conn.mint(), name, NOW + n * MINUTE),
    "promote": lambda conn, name, n: jobs.promote(conn, "reports", n + 1),
    "claim": lambda conn, name, n: jobs.claim(conn, "reports", n * MINUTE + 1),
    "complete": lambda conn, name, n: [
        jobs.complete(conn, "reports", job_id, int(conn.send("HGET", f"{E}job:{job_id}", "attempts")))
        for job_id in conn.send("ZRANGE", ACTIVE, 0, n)
    ],
    "sweep": lambda conn, name, n: pump.sweep(conn, "reports", n + 1),
    "sweep_atomic": lambda conn, name, n: pump.sweep_atomic(conn, "reports", n + 1),
    "wait": lambda conn, name, n: conn.clock.advance(n * MINUTE),
}


@settings(max_examples=15)
@given(steps=st.lists(st.tuples(st.sampled_from(sorted(VERBS)), NAMES, st.integers(0, 20)), min_size=100, max_size=200))
def test_whatever_the_verbs_did_there_is_no_fault(conn: Connection, steps: list[tuple[str, str, int]]) -> None:
    conn.send("FLUSHALL")
    for verb, name, n in steps:
        VERBS[verb](conn, name, n)
    before = held(conn)
    assert [finding for finding in findings(examine(conn, "reports")) if finding.kind.state is State.FAULT] == []
    assert held(conn) == before


def test_a_queue_in_use_gives_no_false_alarm(valkey_url: str) -> None:
    """Threads register, cancel, sweep, claim and complete while the doctor looks, again and again."""
    stop = threading.Event()
    failed: list[BaseException] = []

    def at_work(node: int) -> None:
        try:
            with connect(valkey_url, node=node) as conn:
                while not stop.is_set():
                    for name in map(str, range(20)):
                        repeat.register(conn, "reports", f"{node}-{name}", 1, name)
                        jobs.enqueue_in(conn, "reports", conn.mint(), name, 1)
                    (pump.sweep if node == 1 else pump.sweep_atomic)(conn, "reports", 50)
                    while claimed := jobs.claim(conn, "reports", MINUTE):
                        jobs.complete(conn, "reports", claimed.id, claimed.attempts)
                    for name in map(str, range(0, 20, 3)):
                        repeat.cancel(conn, "reports", f"{node}-{name}")
        except BaseException as error:
            failed.append(error)

    with connect(valkey_url) as conn:
        conn.send("FLUSHALL")
        for at in range(2 * PAGE):
            repeat.register(conn, "reports", f"still-{at}", QUARTER, "x")
            jobs.enqueue_in(conn, "reports", conn.mint(), "x", 60 * MINUTE)
        workers = [threading.Thread(target=at_work, args=(node,)) for node in (1, 2)]
        for worker in workers:
            worker.start()
        looks = [examine(conn, "reports") for _ in range(20)]
        stop.set()
        for worker in workers:
            worker.join(60)
        assert failed == []
        assert [findings(report) for report in looks if report.faults] == []
        assert int(conn.send("HGET", f"{E}metrics:completed", "count")) > 100


def test_a_finding_that_is_gone_at_the_second_look_is_not_told(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound(conn)
    conn.send("DEL", ROW)
    run = scripts.run
    looks = []

    def mended_between(conn: Connection, name: str, keys: Any, args: Any) -> Any:
        looks.append(name)
        answer = run(conn, name, keys, args)
        if ID in answer or f"{E}job:{ID}" in keys:
            conn.send("ZREM", PENDING, ID)
        return answer

    monkeypatch.setattr(scripts, "run", mended_between)
    assert findings(examine(conn, "reports")) == []
    assert set(looks) == {"look"}


# ----------------------------------------------------------------------------------------- many, strange and elsewhere


def test_of_many_a_few_are_shown_and_all_are_counted(conn: Connection, capsys: pytest.CaptureFixture[str]) -> None:
    many = 2 * PAGE + 7
    conn.send("ZADD", REPEAT, *(word for at in range(many) for word in (at, f"ghost-{at}")))
    for at in range(many):
        conn.send("HSET", f"{E}repeat:alone-{at}", "every_ms", 1, "template", "x")
    report = examine(conn, "reports")
    assert report.faults == 2 * many
    assert {kind.name: (found.count, len(found.examples)) for kind, found in report.found.items()} == {
        "registration due": (many, 1),
        "member without record": (many, MOST_EXAMPLES),
        "record without member": (many, MOST_EXAMPLES),
    }
    show(report, "here", ["cli"])
    assert capsys.readouterr().out.count(f"  and {many - MOST_EXAMPLES} more\n") == 2


STRANGE = [
    "a b",
    "it's",
    'say "x"',
    "$HOME `id` \\ ; && #",
    "a\nb\t\r\x07",
    "nul\0nul",
    "\udcff\udc80",
    "caf\u00e9",
    "-x",
    "*?[a]",
]


@pytest.mark.parametrize("name", STRANGE, ids=ascii)
def test_a_mend_reaches_redis_cli_through_a_shell_whatever_the_name(
    conn: Connection, name: str, tmp_path: Path
) -> None:
    conn.send("ZADD", f"emq:{{{name}}}:repeat", 5, name)
    conn.send("ZADD", "emq:{other}:repeat", 5, name)
    (finding,) = (each for each in findings(examine(conn, name)) if each.mend)
    line = pasted(["redis-cli", "-n", "2"], finding)
    assert line.isprintable()
    client = tmp_path / "redis-cli"
    client.write_text('#!/bin/sh\nprintf "%s\\0" "$@"\n')
    client.chmod(0o755)
    ran = subprocess.run(
        line, shell=True, stdout=subprocess.PIPE, check=True, timeout=60, env={"PATH": f"{tmp_path}:{os.defpath}"}
    )
    words = [word.decode("utf-8", "surrogateescape") for word in ran.stdout.split(b"\0")[:-1]]
    assert words[:2] == ["-n", "2"]
    assert unquoted(words[2:]) == ["ZREM", f"emq:{{{name}}}:repeat", name]
    conn.send(*unquoted(words[2:]))
    assert examine(conn, name).faults == 0


@pytest.mark.parametrize("queue", ["a*", "a?", "[ab]", "\\", "a-b^", "q q"])
def test_another_queue_is_not_looked_at(conn: Connection, queue: str) -> None:
    for other in ("aa", "ab", "a", "b", "reports"):
        conn.send("ZADD", f"emq:{{{other}}}:repeat", 5, "ghost")
        conn.send("SET", f"emq:{{{other}}}:what", "x")
    conn.send("SET", f"emq:{{{queue}}}:mine", "x")
    assert [finding.key for finding in findings(examine(conn, queue))] == [f"emq:{{{queue}}}:mine"]


@pytest.mark.parametrize("queue", ["", "a{b", "a}b", None, 5])
def test_a_bad_queue_name_is_refused(conn: Connection, queue: object) -> None:
    with pytest.raises(ArgumentError, match=r"^queue must be non-empty text"):
        examine(conn, queue)


def test_a_line_that_is_lost_is_told() -> None:
    with connect(VALKEY) as conn:
        sound(conn)
        conn._server.stop()
        with pytest.raises(StoreError, match=r"^the line to unix:.* was lost"):
            examine(conn, "reports")


def test_the_script_writes_nothing(valkey_url: str) -> None:
    """The server refuses a script that writes when it is sent for reading alone."""
    with connect(valkey_url, clock=FixedClock("08:50")) as conn:
        sound(conn)
        words = [2, REPEAT, RECORD, 1, f"{E}repeat:", "there", "template", "every_ms"]
        answer = conn.send("EVAL_RO", scripts.source("look"), *words)
        assert json.loads(answer) == [[1, "hash", 1, ["900000"], [str(NOW + MINUTE)]]]


# -------------------------------------------------------------------------------------------------------- the command


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("redis://localhost", "redis-cli -h localhost -p 6379"),
        ("redis://10.0.0.7:7000/3", "redis-cli -h 10.0.0.7 -p 7000 -n 3"),
        ("redis://me:secret@h:1", "redis-cli -h h -p 1 --user me --askpass"),
        ("rediss://:secret@h:1?db=2", "redis-cli -h h -p 1 -n 2 --askpass --tls"),
        ("unix:///run/my%20valkey.sock?db=1", "redis-cli -s '/run/my valkey.sock' -n 1"),
    ],
)
def test_redis_cli_is_led_to_the_same_store_and_told_no_password(url: str, words: str, conn: Connection) -> None:
    there = Connection(redis.Redis.from_url(url), conn.clock, url=url, node=0)
    assert shlex.join(redis_cli(there)) == words


def doctor(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    try:
        code = cli.main(["doctor", *argv])
    except SystemExit as left:
        code = left.code
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.fixture
def broken(valkey_url: str) -> str:
    """The URL of a store with a queue that has faults."""
    with connect(valkey_url) as conn:
        conn.send("FLUSHALL")
        conn.send("HSET", f"{E}repeat:alone\n", "every_ms", QUARTER, "template", "{}")
        conn.send("HSET", f"{E}meta", "paused", "1")
    return valkey_url


def test_the_command_tells_the_faults_and_exits_1(broken: str, capsys: pytest.CaptureFixture[str]) -> None:
    socket = broken.removeprefix("unix://")
    code, out, err = doctor(capsys, "--queue", "reports", "--url", broken)
    assert (code, err) == (1, "")
    assert out == (
        f"queue 'reports' at {broken}: 0 registered, 0 pending, 0 scheduled, 0 active, 0 dead\n"
        "\n"
        "record without member  fault  1  never fires, and register answers exists, so no boot brings it back\n"
        "paused                 info   1  claims answer empty; sweeps go on\n"
        "\n"
        "record without member:\n"
        "  emq:{reports}:repeat:alone\\n: every_ms '900000', a template\n"
        "    mend (forgets the registration; register it again): "
        f"redis-cli -s {socket} --quoted-input DEL '\"emq:{{reports}}:repeat:alone\\x0a\"'\n"
        "\n"
        "paused:\n"
        "  emq:{reports}:meta, field paused: '1'\n"
        "\n"
        "1 fault; if the queue is in use, look again before you mend\n"
    )


def test_json_is_one_object(broken: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECHOMQ_LAB_URL", broken)
    code, out, err = doctor(capsys, "--queue", "reports", "--json")
    told = json.loads(out)
    assert (code, err, out.count("\n"), told.pop("now_ms") > NOW) == (1, "", 1, True)
    assert told == {
        "queue": "reports",
        "url": broken,
        "faults": 1,
        "sizes": {"repeat": 0, "pending": 0, "schedule": 0, "active": 0, "dead": 0},
        "kinds": [
            {
                "kind": "record without member",
                "state": "fault",
                "count": 1,
                "does": "never fires, and register answers exists, so no boot brings it back",
                "besides": "forgets the registration; register it again",
                "examples": [
                    {
                        "key": "emq:{reports}:repeat:alone\n",
                        "member": None,
                        "field": None,
                        "holds": "every_ms '900000', a template",
                        "mend": f"redis-cli -s {broken.removeprefix('unix://')} --quoted-input DEL "
                        "'\"emq:{reports}:repeat:alone\\x0a\"'",
                    }
                ],
            },
            {
                "kind": "paused",
                "state": "info",
                "count": 1,
                "does": "claims answer empty; sweeps go on",
                "besides": "",
                "examples": [
                    {
                        "key": "emq:{reports}:meta",
                        "member": None,
                        "field": "paused",
                        "holds": "'1'",
                        "mend": None,
                    }
                ],
            },
        ],
    }


def test_a_sound_queue_exits_0(valkey_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with connect(valkey_url) as conn:
        conn.send("FLUSHALL")
        repeat.register(conn, "reports", "daily", QUARTER, "{}", MINUTE)
    sizes = "1 registered, 0 pending, 0 scheduled, 0 active, 0 dead"
    told = f"queue 'reports' at {valkey_url}: {sizes}\n\nnothing is at fault\n"
    assert doctor(capsys, "--queue", "reports", "--url", valkey_url) == (0, told, "")


def test_the_table_on_a_terminal_has_its_words_and_obeys_no_color(
    broken: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    code, out, _ = doctor(capsys, "--queue", "reports", "--url", broken)
    assert code == 1
    assert "\x1b[3" not in out.replace("\x1b[3m", "")
    for word in ("what comes of it", "record without member", "fault", "info", "): redis-cli -s ", "1 fault; "):
        assert word in out


TRY = "try --url redis://localhost:6379/0, or set ECHOMQ_LAB_URL\n"
NO_STORE = f"echomq-lab: a server is needed that other processes reach; {TRY}"
ALONE = "echomq-lab: doctor takes --url and --json together with --queue alone; try doctor --queue reports\n"


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["--queue", "reports"], NO_STORE),
        (["--queue", "reports", "--url", ""], NO_STORE),
        (
            ["--queue", "reports", "--url", "embedded://valkey"],
            f"echomq-lab: the server must be one that other processes reach, not 'embedded://valkey'; {TRY}",
        ),
        (
            ["--queue", "a}b", "--url", "redis://localhost:1"],
            "echomq-lab: queue must be non-empty text without braces, not 'a}b'; try 'reports'\n",
        ),
        (
            ["--queue", "", "--url", "redis://localhost:1"],
            "echomq-lab: queue must be non-empty text, not ''; try 'reports'\n",
        ),
        (["--json"], ALONE),
        (["--url", "redis://localhost:1"], ALONE),
        (["--queue"], "echomq-lab doctor: argument --queue: expected one argument\n"),
    ],
)
def test_a_mistake_is_one_line(argv: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor(capsys, *argv) == (2, "", line)


def test_a_server_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = doctor(capsys, "--queue", "reports", "--url", f"unix://{tmp_path}/none")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("echomq-lab: no store answers at unix://")
