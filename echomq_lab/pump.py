"""The pump: what turns due registrations into jobs and moves each entry to its next run.

One sweep promotes what is due of the one-shot jobs, reads what is due of the registry, and then, one
occurrence at a time: mints a JOB id, enqueues the template under it, advances the entry. The enqueue comes first, so a
crash between the two makes the occurrence run twice, never zero times.

The atomic sweep does the same for all of a batch in one script, so there is no between.

Source: seed 000, "Producing the next run"; wire contract, "The pump" and "Two sweeps".
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from echomq_lab import arguments, jobs, repeat, scripts
from echomq_lab.errors import ReplyError
from echomq_lab.keyspace import queue_key, registry_key
from echomq_lab.store import Connection, takes_connection

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sweep:
    """What one sweep did: jobs promoted, occurrences fired, entries without a record swept away.

    `broken` names the due registrations whose record cannot be used; nothing was enqueued for them, and they stay due.
    """

    promoted: int
    fired: int
    swept: int
    broken: list[str] = field(default_factory=list)


@takes_connection
def sweep(conn: Connection, queue: str, batch: int = 100) -> Sweep:
    """Run one sweep of at most `batch` one-shot jobs and `batch` registrations.

    Each due registration fires once however late it is, and its next run is this release plus its period. A server
    error on one occurrence is logged and skipped: its entry is still due at the next sweep. A registration that is
    cancelled after it was read still runs once more.
    Raises `ArgumentError` before anything is sent, `ReplyError` when the registry is no sorted set, `StoreError` when
    the line is lost.
    """
    batch = arguments.how_many("batch", batch)
    promoted = _promote(conn, queue, batch)
    fired = swept = 0
    broken = []
    for name, record in [(name, _record(conn, queue, name)) for name in repeat.due_names(conn, queue, batch)]:
        if record is not None and (record.every_ms is None or record.template is None):
            repeat.cancel(conn, queue, name)
            swept += 1
            continue
        every_ms = repeat.whole_period_ms(record.every_ms) if record is not None else None
        if record is None or record.template is None or every_ms is None:
            broken.append(name)
            continue
        fired += _release(conn, queue, name, every_ms, record.template)
    return Sweep(promoted, fired, swept, broken)


@takes_connection
def sweep_atomic(conn: Connection, queue: str, batch: int = 100) -> Sweep:
    """Run one sweep whose registrations are read, enqueued and advanced by a single script.

    The answers are those of `sweep`, and so is what it leaves behind, but a crash finds either all of it done or
    nothing, and two pumps never release the same occurrence. Raises what `sweep` raises, and `ReplyError` when pending
    is no sorted set; after a `StoreError` the sweep may have been done.
    """
    batch = arguments.how_many("batch", batch)
    promoted = _promote(conn, queue, batch)
    keys = [registry_key(queue), queue_key(queue, "pending")]
    now_ms = conn.now_ms()
    # Ids for what is due and no more: minting for a whole batch limit would cost more than the sweep.
    due = min(batch, int(conn.send("ZCOUNT", keys[0], "-inf", now_ms)))
    if due == 0:
        return Sweep(promoted, 0, 0)
    args: list[str | bytes | int] = [queue_key(queue, ""), now_ms, *(conn.mint() for _ in range(due))]
    fired, swept, broken = scripts.run(conn, "sweep", keys, args)
    return Sweep(promoted, fired, swept, broken)


def _promote(conn: Connection, queue: str, batch: int) -> int:
    try:
        return jobs.promote(conn, queue, batch)
    except ReplyError as error:
        _log.warning("queue %s: nothing promoted: %s", queue, error)
        return 0


def _record(conn: Connection, queue: str, name: str) -> repeat.Due | None:
    try:
        return repeat.record(conn, queue, name)
    except ReplyError:
        return None


def _release(conn: Connection, queue: str, name: str, every_ms: int, template: str) -> bool:
    try:
        jobs.enqueue(conn, queue, conn.mint(), template)
        repeat.advance(conn, queue, name, every_ms)
    except ReplyError as error:
        _log.warning("queue %s: %s not fired, still due: %s", queue, name, error)
        return False
    return True
