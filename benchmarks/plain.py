"""The loop that one would write with redis-py alone, to have something to hold the pump against.

Read what is due; then for each: read its record, enqueue its job, move its entry. Three round trips an occurrence,
no pipeline. All that costs time and is not those is left out: bytes as they come, scripts loaded beforehand, ids that
are counted up, no checks, no one-shot jobs, no cancelled or broken record.
"""

from __future__ import annotations

from itertools import count
from time import time_ns

from redis import Redis

from echomq_lab import scripts

_ids = count(1)


class Plain:
    """The loop on a queue, through a client without `decode_responses`."""

    def __init__(self, client: Redis, queue: str) -> None:
        self.client = client
        self.enqueue = client.script_load(scripts.source("enqueue"))
        self.advance = client.script_load(scripts.source("advance"))
        self.registry, self.pending = f"emq:{{{queue}}}:repeat", f"emq:{{{queue}}}:pending"
        self.record, self.row = f"{self.registry}:".encode(), f"emq:{{{queue}}}:job:"

    def sweep(self, batch: int) -> int:
        """Release what is due, at most `batch`; answer how many."""
        client, registry, pending, record = self.client, self.registry, self.pending, self.record
        names = client.zrangebyscore(registry, "-inf", time_ns() // 1_000_000, 0, batch)
        for name in names:
            every_ms, template = client.hmget(record + name, "every_ms", "template")
            job = f"JOB{next(_ids):011}"
            client.evalsha(self.enqueue, 2, self.row + job, pending, job, template)
            next_ms = time_ns() // 1_000_000 + int(every_ms)
            client.evalsha(self.advance, 2, registry, record + name, name, next_ms)
        return len(names)
