"""Many queues on a cluster: each queue has one slot, and the nodes share the slots out.

Each queue's schedules are registered on an embedded cluster, and then each node is asked for the keys that it holds.

Source: wire contract, "Keys" and "Slots".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from echomq_lab import arguments, repeat
from echomq_lab.clock import FixedClock
from echomq_lab.cluster import ClusterClient
from echomq_lab.errors import ArgumentError, StoreError
from echomq_lab.keyspace import queue_key, registry_key, slot
from echomq_lab.scenario.boots import Schedule
from echomq_lab.store import CLUSTER, connect


@dataclass(frozen=True, slots=True)
class Node:
    """A node: the first and the last of its slots, and the keys that it says it holds, by name."""

    first: int
    last: int
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SpreadRun:
    """The slot of each queue, and the nodes in the order of their slots; none, and `why`, where no cluster starts."""

    slots: dict[str, int]
    nodes: tuple[Node, ...]
    why: str = ""

    def held(self, queue: str) -> dict[int, list[str]]:
        """The keys of a queue by the number of the node that holds them, counted from 1."""
        prefix = queue_key(queue, "")
        found = {
            number: [key for key in node.keys if key.startswith(prefix)] for number, node in enumerate(self.nodes, 1)
        }
        return {number: keys for number, keys in found.items() if keys}


def spread(queues: Sequence[str], schedules: Sequence[Schedule]) -> SpreadRun:
    """Register the schedules on each queue of a new cluster of three nodes, and ask the nodes what they hold.

    The cluster is gone afterwards. Raises `ArgumentError` before it is started: for what is no queue's name, for
    what is no schedule, and where there is none of them.
    """
    _some("queues", queues, "a list of queue names, one or more", "try ['reports']")
    hint = "try [Schedule('daily', 900_000)]"
    _some("schedules", schedules, "a list of schedules, one or more", hint)
    for place, each in enumerate(schedules):
        arguments.instance(f"schedule {place}", each, Schedule, "a schedule", hint)
    slots = {queue: slot(registry_key(queue)) for queue in queues}
    try:
        conn = connect(CLUSTER, clock=FixedClock("08:50"))
    except StoreError as error:
        return SpreadRun(slots, (), str(error))
    with conn:
        for queue in slots:
            for each in schedules:
                repeat.register(conn, queue, each.name, each.every_ms, each.template, each.first_in_ms)
        assert isinstance(conn.client, ClusterClient)
        nodes = conn.telling(conn.client.shares)
        return SpreadRun(slots, tuple(Node(first, last, tuple(sorted(keys))) for first, last, keys in nodes))


def _some(thing: str, value: Sequence[object], what: str, hint: str) -> None:
    arguments.instance(thing, value, (list, tuple), what, hint)
    if not value:
        raise ArgumentError(thing, value, what, hint)
