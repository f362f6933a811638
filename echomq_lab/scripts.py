"""The scheduler's Lua scripts, one file each in `lua/`, run by their SHA.

redis-py sends EVALSHA, and after a NOSCRIPT reply SCRIPT LOAD and the same EVALSHA once more, as EchoMQ does.

Source: seed 001, §3; wire contract, "Verbs" and "Edges".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from redis.commands.core import Script

from echomq_lab.errors import plain
from echomq_lab.store import Connection

NAMES = ("register", "cancel", "advance", "sweep", "enqueue", "schedule", "promote", "claim", "complete", "look")


@cache
def source(name: str) -> str:
    """The text of one script of `NAMES`."""
    return resources.files("echomq_lab").joinpath("lua", f"{name}.lua").read_text(encoding="utf-8")


def run(conn: Connection, name: str, keys: Sequence[str], args: Sequence[str | bytes | int]) -> Any:
    """Run a script on the connection and answer its reply. Raises what `Connection.send` raises."""
    script = Script(conn.client, source(name))
    return conn.telling(lambda: script(keys=keys, args=[*map(plain, args)]))
