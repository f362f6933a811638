"""A queue with as many registrations as a benchmark wants, written by scripts: a million take seconds.

Names are spread over the registry, so that what is due of a large one does not lie close together.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import time_ns

from redis import Redis

EVERY_MS = 86_400_000
TEMPLATE = '{"report":"daily"}'
_FAR_MS = 10**13
_CHUNK = 10_000

_FILL = """
for number = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  local name = string.format('r%07d', number)
  redis.call('HSET', KEYS[1] .. ':' .. name, 'every_ms', ARGV[3], 'template', ARGV[4])
  redis.call('ZADD', KEYS[1], ARGV[5], name)
end
"""
_SCORE = """
for number = 0, tonumber(ARGV[1]) - 1 do
  redis.call('ZADD', KEYS[1], ARGV[3], string.format('r%07d', number * ARGV[2]))
end
"""
_CLEAR = """
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do redis.call('UNLINK', ARGV[1] .. id) end
redis.call('UNLINK', KEYS[1])
"""


@dataclass(frozen=True, slots=True)
class Backlog:
    """A queue of `size` registrations, `due` of which can be made due; nothing is until then."""

    client: Redis
    queue: str
    size: int
    due: int

    def fill(self) -> Backlog:
        """Write the registrations; answer the backlog."""
        for first in range(0, self.size, _CHUNK):
            last = min(first + _CHUNK, self.size) - 1
            self.client.eval(_FILL, 1, self._key("repeat"), first, last, EVERY_MS, TEMPLATE, _FAR_MS)
        return self

    def fall_due(self) -> None:
        """Remove the jobs that were released, and make the registrations due once more."""
        self._score(time_ns() // 1_000_000 - 1_000)

    def rest(self) -> None:
        """Remove the jobs that were released, and leave nothing due."""
        self._score(_FAR_MS)

    def released(self) -> int:
        """How many jobs are pending."""
        return int(self.client.zcard(self._key("pending")))

    def _score(self, at_ms: int) -> None:
        self.client.eval(_CLEAR, 1, self._key("pending"), self._key("job:"))
        self.client.eval(_SCORE, 1, self._key("repeat"), self.due, self.size // self.due, at_ms)

    def _key(self, kind: str) -> str:
        return f"emq:{{{self.queue}}}:{kind}"
