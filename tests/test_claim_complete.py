"""Claim and complete on both stores: who has a job, until when, and by which token it is finished."""

from __future__ import annotations

from typing import Any

import pytest

from echomq_lab import jobs, pump, repeat
from echomq_lab.clock import FixedClock, SystemClock
from echomq_lab.errors import ArgumentError, ReplyError, StaleError
from echomq_lab.keyspace import queue_key
from echomq_lab.store import Connection
from echomq_lab.trace import keys_of

EIGHT_FIFTY = 1_767_603_000_000
LEASE = 60_000


def held(conn: Connection) -> dict[str, Any]:
    """What the queue's keys hold, by the part after `emq:{mail}:`."""
    prefix = "emq:{mail}:"
    return {key.removeprefix(prefix): value for key, value in keys_of(conn.client, prefix).items()}


def enqueued(conn: Connection, *payloads: str) -> list[str]:
    ids = [conn.mint() for _ in payloads]
    for job_id, payload in zip(ids, payloads, strict=True):
        jobs.enqueue(conn, "mail", job_id, payload)
    return ids


def test_a_claim_takes_the_oldest_mint_for_its_lease(conn: Connection) -> None:
    one, two = enqueued(conn, "one", "two")
    assert jobs.claim(conn, "mail", LEASE) == jobs.Claimed(one, "one", 1)
    assert held(conn) == {
        "pending": [[two, 0]],
        "active": [[one, EIGHT_FIFTY + LEASE]],
        f"job:{one}": {"attempts": "1", "payload": "one", "state": "active"},
        f"job:{two}": {"attempts": "0", "payload": "two", "state": "pending"},
    }


def test_a_job_is_completed_by_its_token_and_counted(conn: Connection) -> None:
    enqueued(conn, "one", "two")
    for done in (1, 2):
        job = jobs.claim(conn, "mail", LEASE)
        assert job is not None
        answer = jobs.complete(conn, "mail", job.id, job.attempts)
        assert (answer, str(answer)) == (jobs.Completed.OK, "ok")
        assert held(conn)["metrics:completed"] == {"count": str(done)}
    assert held(conn) == {"metrics:completed": {"count": "2"}}


def test_completed_again_is_gone_and_changes_nothing(conn: Connection) -> None:
    (one,) = enqueued(conn, "one")
    jobs.claim(conn, "mail", LEASE)
    jobs.complete(conn, "mail", one, 1)
    before = held(conn)
    answer = jobs.complete(conn, "mail", one, 1)
    assert (answer, str(answer)) == (jobs.Completed.GONE, "gone")
    assert held(conn) == before


def test_nothing_pending_is_none(conn: Connection) -> None:
    assert jobs.claim(conn, "mail", LEASE) is None
    assert held(conn) == {}


def test_a_paused_queue_answers_no_claim_and_changes_nothing(conn: Connection) -> None:
    enqueued(conn, "one")
    conn.send("HSET", queue_key("mail", "meta"), "paused", "0")  # present is enough
    before = held(conn)
    assert jobs.claim(conn, "mail", LEASE) is None
    assert held(conn) == before
    conn.send("HDEL", queue_key("mail", "meta"), "paused")
    assert jobs.claim(conn, "mail", LEASE) is not None


@pytest.mark.parametrize("token", [0, 1, 3])
def test_a_stale_token_completes_nothing(conn: Connection, token: int) -> None:
    """The lease ran out, somebody put the job back, and another worker claimed it: the attempts are 2."""
    (one,) = enqueued(conn, "one")
    jobs.claim(conn, "mail", LEASE)
    conn.send("ZREM", queue_key("mail", "active"), one)
    conn.send("ZADD", queue_key("mail", "pending"), 0, one)
    assert jobs.claim(conn, "mail", LEASE) == jobs.Claimed(one, "one", 2)
    before = held(conn)
    for _ in range(2):
        with pytest.raises(StaleError, match=rf"^EMQSTALE the token is {token}, the attempts are 2"):
            jobs.complete(conn, "mail", one, token)
    assert held(conn) == before
    assert jobs.complete(conn, "mail", one, 2) is jobs.Completed.OK


def test_a_ghost_is_claimed_without_a_payload(conn: Connection) -> None:
    """An id in pending without a row: the claim makes one, and complete removes it."""
    ghost = conn.mint()
    conn.send("ZADD", queue_key("mail", "pending"), 0, ghost)
    assert jobs.claim(conn, "mail", LEASE) == jobs.Claimed(ghost, None, 1)
    assert held(conn)[f"job:{ghost}"] == {"attempts": "1", "state": "active"}
    assert jobs.complete(conn, "mail", ghost, 1) is jobs.Completed.OK
    assert held(conn) == {"metrics:completed": {"count": "1"}}


def test_every_release_of_a_registration_is_claimed_once_in_mint_order(conn: Connection) -> None:
    assert isinstance(conn.clock, FixedClock)
    repeat.register(conn, "mail", "daily", 1_000, "{}")
    for _ in range(5):
        pump.sweep(conn, "mail")
        conn.clock.advance(1_000)
    claimed = [jobs.claim(conn, "mail", LEASE) for _ in range(6)]
    ids = [job.id for job in claimed if job is not None]
    assert (len(set(ids)), ids, claimed[5]) == (5, sorted(ids), None)


@pytest.mark.parametrize(
    ("payload", "comes_back"),
    [("", ""), ("日報", "日報"), (b"\x00\xff\r\n", "\x00\udcff\r\n"), ("x" * 10**6, "x" * 10**6)],
    ids=lambda text: ascii(text[:8]),
)
def test_a_payload_comes_back_as_it_went(conn: Connection, payload: str | bytes, comes_back: str) -> None:
    jobs.enqueue(conn, "mail", conn.mint(), payload)
    job = jobs.claim(conn, "mail", LEASE)
    assert job is not None
    assert job.payload == comes_back


def test_on_a_system_clock_the_lease_is_the_servers(conn: Connection) -> None:
    with conn.another(clock=SystemClock()) as live:
        jobs.enqueue(live, "mail", live.mint(), "one")
        before = server_ms(live)
        job = jobs.claim(live, "mail", LEASE)
        assert job is not None
        deadline = int(live.send("ZSCORE", queue_key("mail", "active"), job.id))
        assert before <= deadline - LEASE <= server_ms(live)


def server_ms(conn: Connection) -> int:
    seconds, micros = conn.send("TIME")
    return int(seconds) * 1000 + int(micros) // 1000


@pytest.mark.parametrize("lease_ms", [0, -1, 2**53, True, 1.0, "1s", None], ids=ascii)
def test_another_lease_is_refused_before_anything_is_sent(conn: Connection, lease_ms: object) -> None:
    enqueued(conn, "one")
    before = held(conn)
    with pytest.raises(ArgumentError, match=r"^lease_ms must be whole milliseconds from 1"):
        jobs.claim(conn, "mail", lease_ms)  # type: ignore[arg-type]
    assert held(conn) == before


@pytest.mark.parametrize("token", [-1, 2**63, True, 1.0, "1", None], ids=ascii)
def test_another_token_is_refused_before_anything_is_sent(conn: Connection, token: object) -> None:
    (one,) = enqueued(conn, "one")
    before = held(conn)
    with pytest.raises(ArgumentError, match=r"^token must be the attempts count of a claim"):
        jobs.complete(conn, "mail", one, token)  # type: ignore[arg-type]
    assert held(conn) == before


@pytest.mark.parametrize("kind", ["pending", "active", "meta"])
def test_a_key_of_another_type_is_a_reply_error(conn: Connection, kind: str) -> None:
    if kind != "pending":
        enqueued(conn, "one")
    conn.send("SET", queue_key("mail", kind), "x")
    with pytest.raises(ReplyError, match=r"^WRONGTYPE "):
        jobs.claim(conn, "mail", LEASE)
