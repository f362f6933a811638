"""A run as data: each command as it went out, its reply, and what it changed in the queue's keys.

    with trace.record(conn, "reports") as run:
        repeat.register(conn, "reports", "daily", 900_000, "{}")
    run.steps[0].calls      # the commands that the script called on the store
    run.steps[0].changes    # each key that is not what it was

Figures, readouts and checks read a trace, never the code that made it. On a fixed clock the same run of the lab's
verbs gives the same bytes (`to_json`) on fakeredis and on a server; what a reader's own script or command gets wrong is
told in each store's words. Script loading is left out.

Source: architecture, "what a student sees is what ran"; wire contract, "Facts about the stores, tried".
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha1
from typing import Any, TypeAlias

import redis

from echomq_lab import arguments, scripts
from echomq_lab.cluster import ClusterClient
from echomq_lab.errors import LabError
from echomq_lab.keyspace import queue_key, queue_name
from echomq_lab.store import Client, Connection, takes_connection, telling

#: What a key holds: a sorted set as [member, score] pairs in its order, a hash as a dict sorted by field, a set sorted.
Held: TypeAlias = str | list[Any] | dict[str, str] | None

# The plain script runs unchanged inside a function that sees a `redis` of its own, whose calls are noted and passed
# on: fakeredis has no MONITOR. Numbers are noted as a server would receive them.
# In one line, before the script's first, so that an error names the script's own line.
_BEFORE = (
    "local server, calls = redis, {} "
    "local function note(...) local line = {} "
    "for i = 1, select('#', ...) do local value = select(i, ...) "
    "line[i] = type(value) == 'number' and string.format('%.17g', value) or tostring(value) end "
    "calls[#calls + 1] = line end "
    "local redis = setmetatable({ "
    "call = function(...) note(...) return server.call(...) end, "
    "pcall = function(...) note(...) return server.pcall(...) end "
    "}, { __index = server, __metatable = false }) "
    # `server` is Valkey's other name for `redis`, and both are in the table of globals too.
    "local _G = setmetatable({ redis = redis, server = redis }, { __index = _G }) "
    "local function getfenv() return _G end "
    # What notes the calls is out of the script's reach.
    "local ran, answer = pcall(function() local server, calls, note = redis; "
)
_AFTER = """
end)
if type(answer) == 'table' and answer.err then return { calls, 0, answer.err } end
if not ran then return { calls, 0, tostring(answer) } end
return { calls, 1, answer }
"""
# Where in a script an error came from: each store says it in words of its own.
_SCRIPT_SUFFIX = re.compile(r" script:(?: \S+)? on @?user_script:\d+\.?$|, on @?user_script:\d+\.?$")
_SCRIPT_LINE = re.compile(r"(?:\[string \"<python>\"\]|@?user_script):(\d+):")


@dataclass(frozen=True, slots=True)
class Change:
    """One key that a step changed: what it held before and after, None where there was no key."""

    key: str
    before: Held
    after: Held


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the run.

    `at_ms` is the connection's clock, `command` the words as sent (payload bytes by surrogateescape), `script` the
    name of the script it ran or None, `calls` what the script called in order, `reply` the store's reply (None for a
    nil), `error` the text of an error reply or None, `changes` the keys it changed, by name.
    """

    at_ms: int
    command: tuple[str, ...]
    script: str | None
    calls: tuple[tuple[str, ...], ...]
    reply: Any
    error: str | None
    changes: tuple[Change, ...]


@dataclass(slots=True)
class Trace:
    """The steps of a run on one queue, in the order in which they went out."""

    queue: str
    steps: list[Step] = field(default_factory=list)

    def to_json(self) -> str:
        """The trace as JSON text, the same bytes for the same run."""
        return json.dumps(asdict(self), sort_keys=True)

    def changes(self, kind: str) -> list[tuple[int, Change]]:
        """Each change of the key `emq:{queue}:kind`, with the instant of its step in ms."""
        key = queue_key(self.queue, kind)
        return [(step.at_ms, change) for step in self.steps for change in step.changes if change.key == key]


def takes_trace(trace: Trace) -> None:
    """Refuse what is no trace."""
    arguments.instance("trace", trace, Trace, "a trace", "try run.trace")


@takes_connection
@contextmanager
def record(conn: Connection, queue: str, *, changes: bool = True) -> Iterator[Trace]:
    """Record what goes out on a connection, from any thread, while the block runs.

    Commands sent by `conn.client` itself are recorded too; those in a redis-py pipeline are not. Steps are taken one
    at a time, so that each is charged with its own changes alone; without `changes` the keys are not looked at, which
    is several times faster. One recording at a time: raises a `LabError` inside another on the same connection.
    """
    run = Trace(queue_name(queue))
    prefix = queue_key(queue, "")
    client = conn.client
    if "execute_command" in vars(client):
        raise LabError(
            "this connection is being recorded already, by a check or a block around this; record another one"
        )
    aside = conn.another().client
    plain: Callable[..., Any] = client.execute_command
    turn = threading.RLock()

    def execute(*words: Any, **options: Any) -> Any:
        if str(words[0]).upper().startswith("SCRIPT"):
            return plain(*words, **options)
        with turn:
            at_ms = conn.now_ms()
            before = keys_of(aside, prefix) if changes else {}
            script, source = _script(words)
            calls: tuple[tuple[str, ...], ...] = ()
            reply: Any = None
            failure: redis.ResponseError | None = None
            try:
                if source is None:
                    reply = plain(*words, **options)
                else:
                    noted, done, reply = _padded(plain("EVAL", _BEFORE + source + _AFTER, *words[2:], **options))
                    calls = tuple(tuple(call) for call in noted)
                    if not done:
                        raise redis.ResponseError(reply.removeprefix("ERR "))  # as redis-py tells an error
            except redis.exceptions.NoScriptError:
                raise  # answered by loading the script, which is left out, and the same command again
            except redis.ResponseError as error:
                reply, failure = None, error
            after = keys_of(aside, prefix) if changes else {}
            run.steps.append(
                Step(
                    at_ms,
                    tuple(_text(word) for word in words),
                    script,
                    calls,
                    _canonical(reply),
                    None if failure is None else error_text(failure),
                    tuple(
                        Change(key, before.get(key), after.get(key))
                        for key in sorted({*before, *after})
                        if before.get(key) != after.get(key)
                    ),
                )
            )
            if failure is not None:
                raise failure
            return reply

    client.execute_command = execute  # type: ignore[method-assign]
    try:
        yield run
    finally:
        del client.execute_command


def keys_of(client: Client, prefix: str) -> dict[str, Held]:
    """What every key that begins with `prefix` holds, by key. Raises a `LabError` when the line is lost.

    In a cluster the node that has the prefix's slot is asked, so the prefix of a queue finds all of the queue.
    """
    pattern = re.sub(r"([\\*?\[\]])", r"\\\1", prefix) + "*"

    def read() -> dict[str, Held]:
        where = client.where(prefix) if isinstance(client, ClusterClient) else {}
        return {key: _held(client, key) for key in sorted(client.scan_iter(match=pattern, count=1000, **where))}

    held: dict[str, Held] = telling(read)
    return held


def _held(client: Client, key: str) -> Held:
    kind = client.type(key)
    held: Any
    if kind == "zset":
        held = client.zrange(key, 0, -1, withscores=True)
    elif kind == "hash":
        held = dict(sorted(client.hgetall(key).items()))
    elif kind == "list":
        held = client.lrange(key, 0, -1)
    elif kind == "set":
        held = client.smembers(key)
    elif kind == "string":
        held = client.get(key)
    else:
        held = f"({_text(kind)})"
    answer: Held = _canonical(held)
    return answer


@cache
def _names() -> dict[str, str]:
    return {sha1(scripts.source(name).encode(), usedforsecurity=False).hexdigest(): name for name in scripts.NAMES}


def _script(words: tuple[Any, ...]) -> tuple[str | None, str | None]:
    """The name (if it is the library's) and the text of the script that a command runs."""
    verb = str(words[0]).upper()
    if verb == "EVALSHA" and (name := _names().get(str(words[1]))):
        return name, scripts.source(name)
    return None, _text(words[1]) if verb == "EVAL" else None


def error_text(error: redis.ResponseError) -> str:
    """What an error reply says, in the same words from every store where it is about a script."""
    return _SCRIPT_LINE.sub(r"script:\1:", _SCRIPT_SUFFIX.sub("", str(error)))


def _padded(reply: list[Any]) -> list[Any]:
    """A nil answer ends a Lua array early."""
    return [*reply, None][:3]


def _text(word: Any) -> str:
    return word.decode("utf-8", "surrogateescape") if isinstance(word, bytes) else str(word)


def _canonical(value: Any) -> Any:
    """A reply as JSON data, whole floats as ints: a score reads the same from every store."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, bytes):
        return _text(value)
    if isinstance(value, dict):
        return {_text(key): _canonical(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(each) for each in value]
    if isinstance(value, set):
        return sorted(_canonical(each) for each in value)
    return value
