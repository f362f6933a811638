"""The scheduler's Lua scripts, one file each in `lua/`, run by their SHA.

EVALSHA first, and after a NOSCRIPT reply SCRIPT LOAD and the same EVALSHA once more, as EchoMQ does.

Source: seed 001, §3; wire contract, "Verbs" and "Edges".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha1
from importlib import resources
from typing import Any

from redis.exceptions import NoScriptError

from echomq_lab.errors import ReplyError, plain
from echomq_lab.store import Connection

NAMES = ("register", "cancel", "advance", "sweep", "enqueue", "schedule", "promote", "claim", "complete", "look")


@cache
def source(name: str) -> str:
    """The text of one script of `NAMES`."""
    return resources.files("echomq_lab").joinpath("lua", f"{name}.lua").read_text(encoding="utf-8")


@cache
def sha(name: str) -> str:
    """The SHA-1 by which the server knows the script."""
    return sha1(source(name).encode(), usedforsecurity=False).hexdigest()


def command(name: str, keys: Sequence[str], args: Sequence[str | bytes | int]) -> list[str | bytes | float]:
    """The words that run a script whose text the server has."""
    return ["EVALSHA", sha(name), len(keys), *keys, *map(plain, args)]


def run(conn: Connection, name: str, keys: Sequence[str], args: Sequence[str | bytes | int]) -> Any:
    """Run a script on the connection and answer its reply. Raises what `Connection.send` raises."""
    words = command(name, keys, args)

    def ran() -> Any:
        try:
            return conn.client.execute_command(*words)  # type: ignore[no-untyped-call]
        except NoScriptError:
            conn.client.script_load(source(name))
            return conn.client.execute_command(*words)  # type: ignore[no-untyped-call]

    return conn.telling(ran)


def run_and_read(
    conn: Connection,
    name: str,
    keys: Sequence[str],
    args: Sequence[str | bytes | int],
    read: Sequence[str | bytes | float],
) -> list[Any]:
    """Run a script that may be run twice, then read, in one round trip; answer both replies as `together` does."""
    commands = [command(name, keys, args), read]
    replies = conn.together(commands)
    if isinstance(replies[0], ReplyError) and isinstance(replies[0].__cause__, NoScriptError):
        conn.telling(lambda: conn.client.script_load(source(name)))
        replies = conn.together(commands)
    return replies
