"""The one-shot verbs on both stores: a row, and an id in pending or in the schedule."""

from __future__ import annotations

import time
from typing import Any

import pytest

from echomq_lab import jobs, repeat
from echomq_lab.clock import SystemClock
from echomq_lab.errors import KindError, ReplyError
from echomq_lab.keyspace import job_key, queue_key
from echomq_lab.store import Connection
from echomq_lab.trace import keys_of

EIGHT_FIFTY = 1_767_603_000_000
ONE, TWO, THREE = "JOB0JgWEmSjNuz", "JOB0JgWEmSjNv0", "JOB0JgWEmSjNv1"
ORDER = "ORD0JgWEmSjNuz"


def held(conn: Connection) -> dict[str, Any]:
    """What the queue's keys hold, by the part after `emq:{mail}:`."""
    prefix = "emq:{mail}:"
    return {key.removeprefix(prefix): value for key, value in keys_of(conn.client, prefix).items()}


def row(payload: str, state: str) -> dict[str, str]:
    return {"attempts": "0", "payload": payload, "state": state}


# --------------------------------------------------------------------------------------------------------- enqueue


def test_enqueue_writes_a_row_and_a_pending_id(conn: Connection) -> None:
    answer = jobs.enqueue(conn, "mail", ONE, "hello")
    assert (answer, str(answer)) == (jobs.Enqueued.ENQUEUED, "enqueued")
    assert held(conn) == {"pending": [[ONE, 0]], f"job:{ONE}": row("hello", "pending")}


@pytest.mark.parametrize(
    ("payload", "comes_back"),
    [
        ("", ""),
        (b"", ""),
        ("日報", "日報"),
        (b"\x00\xff\r\n", "\x00\udcff\r\n"),
        ("\udcff", "\udcff"),
        ("x" * 10**6, "x" * 10**6),
    ],
    ids=lambda text: ascii(text[:8]),
)
def test_a_payload_comes_back_as_it_went(conn: Connection, payload: str | bytes, comes_back: str) -> None:
    jobs.enqueue(conn, "mail", ONE, payload)
    jobs.enqueue_at(conn, "mail", TWO, payload, 0)
    assert [conn.send("HGET", job_key("mail", each), "payload") for each in (ONE, TWO)] == [comes_back, comes_back]


@pytest.mark.parametrize("first", ["enqueue", "enqueue_at", "enqueue_in"])
@pytest.mark.parametrize("again", ["enqueue", "enqueue_at", "enqueue_in"])
def test_an_id_whose_row_is_there_is_a_duplicate(conn: Connection, first: str, again: str) -> None:
    def call(verb: str, payload: str) -> str:
        return str(getattr(jobs, verb)(conn, "mail", ONE, payload, *([] if verb == "enqueue" else [5])))

    assert call(first, "first") == ("enqueued" if first == "enqueue" else "scheduled")
    before = held(conn)
    assert call(again, "again") == "duplicate"
    assert held(conn) == before


@pytest.mark.parametrize(("verb", "when"), [("enqueue", []), ("enqueue_at", [5]), ("enqueue_in", [5])])
def test_a_queue_takes_jobs_alone(conn: Connection, verb: str, when: list[int]) -> None:
    """The kind is asked before the duplicate, and by the script: twice, so also when the script is loaded."""
    conn.send("HSET", job_key("mail", ORDER), "state", "pending")
    before = held(conn)
    for _ in range(2):
        with pytest.raises(KindError, match=r"^EMQKIND a queue takes ids that begin with JOB"):
            getattr(jobs, verb)(conn, "mail", ORDER, "x", *when)
    assert held(conn) == before


# -------------------------------------------------------------------------------------- enqueue_at, enqueue_in, promote


@pytest.mark.parametrize(
    ("verb", "when", "due_ms"),
    [
        ("enqueue_at", EIGHT_FIFTY + 5, EIGHT_FIFTY + 5),
        ("enqueue_at", 0, 0),
        ("enqueue_at", -5, -5),
        ("enqueue_at", 2**53, 2**53),
        ("enqueue_in", 0, EIGHT_FIFTY),
        ("enqueue_in", 60_000, EIGHT_FIFTY + 60_000),
    ],
)
def test_a_scheduled_job_is_scored_by_its_instant(conn: Connection, verb: str, when: int, due_ms: int) -> None:
    answer = getattr(jobs, verb)(conn, "mail", ONE, "x", when)
    assert (answer, str(answer)) == (jobs.Scheduled.SCHEDULED, "scheduled")
    assert held(conn) == {"schedule": [[ONE, due_ms]], f"job:{ONE}": row("x", "scheduled")}


def test_promote_moves_a_job_at_its_millisecond(conn: Connection) -> None:
    jobs.enqueue_in(conn, "mail", ONE, "x", 60_000)
    conn.clock.advance(59_999)
    before = held(conn)
    assert jobs.promote(conn, "mail", 10) == 0
    assert held(conn) == before
    conn.clock.advance(1)
    assert jobs.promote(conn, "mail", 10) == 1
    assert held(conn) == {"pending": [[ONE, 0]], f"job:{ONE}": row("x", "pending")}


def test_promote_takes_the_oldest_due_up_to_its_batch(conn: Connection) -> None:
    for at_ms, job_id in [(3, ONE), (2, TWO), (1, THREE)]:
        jobs.enqueue_at(conn, "mail", job_id, "x", at_ms)
    seen = [(jobs.promote(conn, "mail", 2), jobs.browse(conn, "mail", 10)) for _ in range(3)]
    assert seen == [(2, [THREE, TWO]), (1, [THREE, TWO, ONE]), (0, [THREE, TWO, ONE])]


def test_promote_of_an_id_without_a_row_makes_one(conn: Connection) -> None:
    conn.send("ZADD", queue_key("mail", "schedule"), 0, ONE)
    assert jobs.promote(conn, "mail", 1) == 1
    assert held(conn) == {"pending": [[ONE, 0]], f"job:{ONE}": {"state": "pending"}}


# --------------------------------------------------------------------------------------------- browse, pending_size


def test_pending_is_in_mint_order_whatever_the_order_of_arrival(conn: Connection) -> None:
    minted = [conn.mint() for _ in range(20)]
    for job_id in reversed(minted):
        jobs.enqueue(conn, "mail", job_id, "")
    assert jobs.browse(conn, "mail", 100) == minted[::-1]
    assert [member for member, _ in held(conn)["pending"]] == minted


@pytest.mark.parametrize(
    ("n", "expected"), [(1, [THREE]), (2, [THREE, TWO]), (3, [THREE, TWO, ONE]), (2**63 - 1, [THREE, TWO, ONE])]
)
def test_browse_is_newest_first(conn: Connection, n: int, expected: list[str]) -> None:
    for job_id in (ONE, TWO, THREE):
        jobs.enqueue(conn, "mail", job_id, "")
    assert jobs.browse(conn, "mail", n) == expected
    assert jobs.pending_size(conn, "mail") == 3


def test_an_empty_queue_has_nothing(conn: Connection) -> None:
    assert jobs.browse(conn, "mail", 10) == []
    assert jobs.pending_size(conn, "mail") == 0
    assert jobs.promote(conn, "mail", 10) == 0
    assert held(conn) == {}


@pytest.mark.parametrize(
    ("kind", "verb", "arguments"),
    [
        ("pending", "enqueue", [ONE, "x"]),
        ("pending", "browse", [1]),
        ("pending", "pending_size", []),
        ("schedule", "enqueue_at", [ONE, "x", 1]),
        ("schedule", "enqueue_in", [ONE, "x", 1]),
        ("schedule", "promote", [1]),
    ],
)
def test_a_key_of_another_type_is_a_reply_error(conn: Connection, kind: str, verb: str, arguments: list[Any]) -> None:
    conn.send("SET", queue_key("mail", kind), "x")
    with pytest.raises(ReplyError, match=r"^WRONGTYPE Operation against a key holding the wrong kind of value"):
        getattr(jobs, verb)(conn, "mail", *arguments)


# ------------------------------------------------------------------------------------------------------- two clocks


@pytest.fixture
def live(conn: Connection) -> Connection:
    """An empty store on the system's clock."""
    return conn.another(clock=SystemClock())


def score(conn: Connection, kind: str, member: str) -> int:
    return int(conn.send("ZSCORE", queue_key("mail", kind), member))


def server_ms(conn: Connection) -> int:
    seconds, micros = conn.send("TIME")
    return int(seconds) * 1000 + int(micros) // 1000


def test_on_a_system_clock_the_job_verbs_ask_the_server(live: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host whose clock is a day slow promotes and delays by the server's time all the same."""
    monkeypatch.setattr(time, "time_ns", lambda: (EIGHT_FIFTY - 86_400_000) * 1_000_000)
    if live.url.startswith("embedded:"):
        monkeypatch.undo()  # there the server's clock is this process's
    before = server_ms(live)
    jobs.enqueue_in(live, "mail", ONE, "x", 0)
    jobs.enqueue_in(live, "mail", TWO, "x", 3_600_000)
    after = server_ms(live)
    assert before <= score(live, "schedule", ONE) <= after
    assert before <= score(live, "schedule", TWO) - 3_600_000 <= after
    assert jobs.promote(live, "mail", 10) == 1
    assert jobs.browse(live, "mail", 10) == [ONE]


def test_on_a_system_clock_the_repeat_verbs_ask_the_host(live: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SystemClock, "now_ms", lambda self: EIGHT_FIFTY)
    repeat.register(live, "mail", "daily", 1000, "", 7)
    assert score(live, "repeat", "daily") == EIGHT_FIFTY + 7
    repeat.advance(live, "mail", "daily", 1000)
    assert score(live, "repeat", "daily") == EIGHT_FIFTY + 1000
    assert repeat.due(live, "mail", 1) == []
