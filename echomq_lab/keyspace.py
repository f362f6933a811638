"""Key names of a queue, and the cluster slot they share.

    emq:{q}:<type>     the braces are literal: they are the hashtag that keeps a queue on one slot

A queue name that is empty or holds a brace would break the hashtag, so it is refused.

Source: seed 000, "The registry"; wire contract, "Keys" and "Slots".
"""

from __future__ import annotations

from echomq_lab import arguments, ids
from echomq_lab.errors import ArgumentError


def queue_key(queue: str, kind: str) -> str:
    """The key `emq:{queue}:kind`. Raises `ArgumentError` for a queue name that breaks the hashtag."""
    kind = arguments.text("kind", kind, hint="try 'pending'")
    return f"emq:{{{queue_name(queue)}}}:{kind}"


def queue_name(queue: str) -> str:
    """The name of a queue. Raises `ArgumentError` for one that breaks the hashtag."""
    name = arguments.name("queue", queue, "try 'reports'")
    if "{" in name or "}" in name:
        raise ArgumentError("queue", name, "non-empty text without braces", "try 'reports'")
    return name


def registry_key(queue: str) -> str:
    """The sorted set of registrations: name -> next-run millisecond."""
    return queue_key(queue, "repeat")


def record_key(queue: str, name: str) -> str:
    """The hash of one registration: `every_ms` and `template`."""
    return queue_key(queue, f"repeat:{arguments.name('name', name)}")


def job_key(queue: str, job_id: str) -> str:
    """The hash of one job row. Any namespace passes; what is no branded id builds no key."""
    return queue_key(queue, f"job:{ids.checked(job_id)}")


def slot(key: str) -> int:
    """The cluster slot of a key, 0 to 16383: CRC16 of its hashtag, by redis-py."""
    from redis.crc import key_slot

    key = arguments.text("key", key, hint="try queue_key('reports', 'repeat')")
    return int(key_slot(key.encode("utf-8", "surrogateescape")))
