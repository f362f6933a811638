"""The repeat registry of a queue: one entry per registration, scored by its next run.

    emq:{q}:repeat          zset   name -> next-run ms    written by register, advance, cancel; read by due, count
    emq:{q}:repeat:<name>   hash   every_ms, template     written by register; deleted by cancel

Source: seed 000, "The registry", "The upsert"; wire contract, "Verbs" and "Edges".
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from echomq_lab import arguments, scripts
from echomq_lab.errors import LabError
from echomq_lab.keyspace import queue_key, record_key, registry_key
from echomq_lab.store import Connection, takes_connection


class Registered(StrEnum):
    """What `register` answers."""

    EXISTS = "exists"
    REGISTERED = "registered"


class Cancelled(StrEnum):
    """What `cancel` answers."""

    ABSENT = "absent"
    CANCELLED = "cancelled"


class Advanced(StrEnum):
    """What `advance` answers."""

    ABSENT = "absent"
    ADVANCED = "advanced"


class Backlog(NamedTuple):
    """How many registrations are due, and for how many ms the one that has waited longest (0 when none is)."""

    due: int
    lag_ms: int


class Due(NamedTuple):
    """A due registration as the store holds it: `every_ms` is decimal text; both fields are None without a record."""

    name: str
    every_ms: str | None
    template: str | None


@takes_connection
def register(
    conn: Connection, queue: str, name: str, every_ms: int, template: str | bytes, first_in_ms: int = 0
) -> Registered:
    """Register a recurring job once, however often it is asked: REGISTERED, or EXISTS with nothing written.

    `every_ms` is the period, 1 to 2^53 - 1 ms; the first run comes `first_in_ms` (0 or more) after the clock's now.
    A record that is there decides alone, so another period or template changes nothing.
    Raises a `LabError` before anything is sent.
    """
    keys = [registry_key(queue), record_key(queue, name)]
    every_ms = arguments.period_ms("every_ms", every_ms)
    template = arguments.content("template", template)
    first_ms = conn.now_ms() + arguments.delay_ms("first_in_ms", first_in_ms)
    written = scripts.run(conn, "register", keys, [name, every_ms, template, first_ms])
    return Registered.REGISTERED if written else Registered.EXISTS


@takes_connection
def cancel(conn: Connection, queue: str, name: str) -> Cancelled:
    """Remove entry and record: CANCELLED, or ABSENT when there was no entry (a lone record goes all the same)."""
    keys = [registry_key(queue), record_key(queue, name)]
    return Cancelled.CANCELLED if scripts.run(conn, "cancel", keys, [name]) else Cancelled.ABSENT


@takes_connection
def due(conn: Connection, queue: str, limit: int) -> list[Due]:
    """Up to `limit` registrations whose next run is now or past, oldest first, ties by the bytes of the name.

    An entry without a record is among them, with None for both fields. Nothing is written.
    """
    return [_found(each) for each in records(conn, queue, due_names(conn, queue, limit))]


@takes_connection
def due_names(conn: Connection, queue: str, limit: int) -> list[str]:
    """The names that `due` reads records for, in its order."""
    key = registry_key(queue)
    limit = arguments.how_many("limit", limit)
    names: list[str] = conn.send("ZRANGEBYSCORE", key, "-inf", conn.now_ms(), "LIMIT", 0, limit)
    return names


@takes_connection
def record(conn: Connection, queue: str, name: str) -> Due:
    """The record of one name. Raises `ReplyError` when its key holds no hash."""
    return _found(records(conn, queue, [arguments.name("name", name)])[0])


@takes_connection
def records(conn: Connection, queue: str, names: Sequence[str]) -> list[Due | LabError]:
    """The records of several names, read in one round trip; for a key that holds no hash its error."""
    # What a registry holds is read, an empty name too, which no verb would write.
    keys = [queue_key(queue, f"repeat:{arguments.text('name', name)}") for name in names]
    replies = conn.together([("HMGET", key, "every_ms", "template") for key in keys])
    return [
        reply if isinstance(reply, LabError) else Due(name, *reply) for name, reply in zip(names, replies, strict=True)
    ]


@takes_connection
def advance(conn: Connection, queue: str, name: str, every_ms: int) -> Advanced:
    """Rewrite the entry's score to now + every_ms: start to start, from the release.

    The old score is never read, so a late release moves every later run.
    Answers ABSENT, and sweeps the entry, when the record is gone.
    Raises a `LabError` before anything is sent.
    """
    keys = [registry_key(queue), record_key(queue, name)]
    next_ms = conn.now_ms() + arguments.period_ms("every_ms", every_ms)
    return Advanced.ADVANCED if scripts.run(conn, "advance", keys, [name, next_ms]) else Advanced.ABSENT


@takes_connection
def count(conn: Connection, queue: str) -> int:
    """How many entries the registry has."""
    return int(conn.send("ZCARD", registry_key(queue)))


@takes_connection
def backlog(conn: Connection, queue: str) -> Backlog:
    """What a sweep would find now. Nothing is written."""
    key, now_ms = registry_key(queue), conn.now_ms()
    first: list[tuple[str, float]] = conn.telling(lambda: conn.client.zrange(key, 0, 0, withscores=True))
    due = int(conn.send("ZCOUNT", key, "-inf", now_ms))
    # A score that is no instant (-inf sorts first) counts as Unix 0.
    return Backlog(due, now_ms - int(max(first[0][1], 0)) if due and first else 0)


def _found(read: Due | LabError) -> Due:
    if isinstance(read, LabError):
        raise read
    return read
