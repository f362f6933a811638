"""One-shot jobs of a queue: a row each, and an id that moves from one sorted set to the next.

    emq:{q}:job:<id>            hash   state, attempts, payload   written by all but browse; deleted by complete
    emq:{q}:pending             zset   id -> 0                    byte order of the ids is mint order
    emq:{q}:schedule            zset   id -> due ms               read and emptied by promote
    emq:{q}:active              zset   id -> lease deadline ms    written by claim, emptied by complete
    emq:{q}:meta                hash   paused                     read by claim
    emq:{q}:metrics:completed   hash   count                      written by complete

Source: seed 000, "A one-shot delayed job"; wire contract, "Verbs".
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from echomq_lab import arguments, scripts
from echomq_lab.keyspace import job_key, queue_key
from echomq_lab.store import Connection, takes_connection


class Enqueued(StrEnum):
    """What `enqueue` answers."""

    DUPLICATE = "duplicate"
    ENQUEUED = "enqueued"


class Scheduled(StrEnum):
    """What `enqueue_at` and `enqueue_in` answer."""

    DUPLICATE = "duplicate"
    SCHEDULED = "scheduled"


class Completed(StrEnum):
    """What `complete` answers."""

    GONE = "gone"
    OK = "ok"


class Claimed(NamedTuple):
    """A claimed job; `attempts` is the token that `complete` asks for, `payload` None when the job has no row."""

    id: str
    payload: str | None
    attempts: int


@takes_connection
def enqueue(conn: Connection, queue: str, job_id: str, payload: str | bytes) -> Enqueued:
    """Put a job straight into pending: ENQUEUED, or DUPLICATE with nothing written when its row is there.

    Raises `ArgumentError` before anything is sent, `KindError` for a branded id that is no JOB.
    """
    keys = [job_key(queue, job_id), queue_key(queue, "pending")]
    written = scripts.run(conn, "enqueue", keys, [job_id, arguments.content("payload", payload)])
    return Enqueued.ENQUEUED if written else Enqueued.DUPLICATE


@takes_connection
def enqueue_at(conn: Connection, queue: str, job_id: str, payload: str | bytes, run_at_ms: int) -> Scheduled:
    """Schedule a job for an instant in Unix milliseconds; a past one is due at once. Raises as `enqueue`."""
    return _schedule(conn, queue, job_id, payload, "at", arguments.run_at("run_at_ms", run_at_ms))


@takes_connection
def enqueue_in(conn: Connection, queue: str, job_id: str, payload: str | bytes, delay_ms: int) -> Scheduled:
    """Schedule a job `delay_ms` (0 or more) from the server's now, or the lab clock's. Raises as `enqueue`."""
    return _schedule(conn, queue, job_id, payload, "in", arguments.delay_ms("delay_ms", delay_ms))


@takes_connection
def promote(conn: Connection, queue: str, batch: int) -> int:
    """Move up to `batch` jobs that are due, by the server's now or the lab clock's, to pending; answer how many."""
    return int(scripts.run(conn, "promote", *promotion(conn, queue, batch)))


def promotion(conn: Connection, queue: str, batch: int) -> tuple[list[str], list[str | bytes | int]]:
    """The keys and the arguments of the script that promotes."""
    keys = [queue_key(queue, "schedule"), queue_key(queue, "pending")]
    return keys, [queue_key(queue, ""), arguments.how_many("batch", batch), *conn.server_now()]


@takes_connection
def claim(conn: Connection, queue: str, lease_ms: int) -> Claimed | None:
    """Take the oldest pending job for `lease_ms` (1 or more); None when nothing is pending or the queue is paused."""
    keys = [queue_key(queue, "pending"), queue_key(queue, "active")]
    args: list[str | bytes | int] = [queue_key(queue, "job:"), arguments.period_ms("lease_ms", lease_ms)]
    if conn.send("HGET", queue_key(queue, "meta"), "paused") is not None:
        return None
    claimed = scripts.run(conn, "claim", keys, [*args, *conn.server_now()])
    if claimed is None:
        return None
    job_id, attempts, *payload = claimed
    return Claimed(job_id, payload[0] if payload else None, attempts)


@takes_connection
def complete(conn: Connection, queue: str, job_id: str, token: int) -> Completed:
    """Finish a claimed job and delete its row: OK, or GONE when there is none.

    `token` is the `attempts` that the claim answered; with another one a `StaleError` is raised: the lease ran out and
    somebody else has the job.
    """
    keys = [queue_key(queue, "active"), job_key(queue, job_id)]
    args: list[str | bytes | int] = [job_id, arguments.token("token", token), queue_key(queue, "")]
    return Completed.OK if scripts.run(conn, "complete", keys, args) else Completed.GONE


@takes_connection
def browse(conn: Connection, queue: str, n: int) -> list[str]:
    """The ids of up to `n` pending jobs, newest mint first."""
    key = queue_key(queue, "pending")
    ids: list[str] = conn.send("ZRANGE", key, "+", "-", "BYLEX", "REV", "LIMIT", 0, arguments.how_many("n", n))
    return ids


@takes_connection
def pending_size(conn: Connection, queue: str) -> int:
    """How many jobs are pending."""
    return int(conn.send("ZCARD", queue_key(queue, "pending")))


def _schedule(conn: Connection, queue: str, job_id: str, payload: str | bytes, mode: str, value: int) -> Scheduled:
    keys = [job_key(queue, job_id), queue_key(queue, "schedule")]
    now = conn.server_now() if mode == "in" else []
    args: list[str | bytes | int] = [job_id, arguments.content("payload", payload), mode, value, *now]
    return Scheduled.SCHEDULED if scripts.run(conn, "schedule", keys, args) else Scheduled.DUPLICATE
