"""A queue to start from, however often a cell is run again."""

from __future__ import annotations

from echomq_lab import trace
from echomq_lab.keyspace import queue_key, queue_name
from echomq_lab.store import Connection, takes_connection


@takes_connection
def fresh_queue(conn: Connection, name: str) -> str:
    """The first of `name`, `name-2`, `name-3`, ... that has no key in the store, so that a setup cell can run again.

    Nothing is deleted: on a server of one's own an earlier run stays where it is.
    """
    name = queue = queue_name(name)
    number = 1
    while trace.keys_of(conn.client, queue_key(queue, "")):
        number += 1
        queue = f"{name}-{number}"
    return queue
