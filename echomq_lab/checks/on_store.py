"""One run on a store for a check: set up, act, and see every command, its reply, and the keys before and after.

    {"do": "store", "store": URL, "queue": "checked", "now_ms": ..., "given": [[command, ...], ...], "acts": [...]}

An act is one of

    {"call": "sweep", "args": [...]}               the student's function
    {"script": "REGISTER_LUA", "keys": [...], "args": [...]}      the student's Lua, by EVAL
    {"command": [...]}                             a plain command, as another client would send it

and may say when: `now_ms` (the lab clock's), `kill_before` (the connection dies in the caller's hands before so many
commands), `meanwhile` (the same call runs once more, whole, on another connection, before so many commands). Where an
argument is `{"the": "conn"}`, "queue" or "mint", it is this run's.

The answer holds `before`, the queue's keys as set up, and for each act what was `heard`, what the `other` heard, the
`calls` on the store (those inside scripts too), how many commands were `sent`, the ids `minted`, and the keys `after`.

Source: exercises, "Store exercises"; architecture, "what a student sees is what ran".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from echomq_lab import trace
from echomq_lab.checks.gate import Gate
from echomq_lab.checks.plain import unpack
from echomq_lab.clock import FixedClock
from echomq_lab.keyspace import queue_key
from echomq_lab.store import Connection, connect

Heard = dict[str, Any]
#: Calls a student's code and tells what it answered or raised.
Hearing = Callable[[Callable[[], Any]], Heard]
#: The nodes of the ids that the call mints, and that its double does.
_NODE, _OTHER_NODE = 0, 1


class Stores:
    """The stores that runs are made on, each connected to once."""

    def __init__(self) -> None:
        self._stores: dict[str, Connection] = {}

    def run(self, question: dict[str, Any], names: dict[str, Any], hearing: Hearing) -> dict[str, Any]:
        """Make one run; what the student's code raises is told in its act."""
        store = self._store(question["store"])
        queue, clock = question["queue"], FixedClock(question["now_ms"])
        prefix = queue_key(queue, "")
        _remove(store, prefix)
        for words in question["given"]:
            store.send(*map(unpack, words))
        run = _Run(store, queue, clock, names, hearing)
        answer = {"before": trace.keys_of(store.client, prefix), "acts": [run.act(act) for act in question["acts"]]}
        _remove(store, prefix)
        return answer

    def _store(self, url: str) -> Connection:
        if url not in self._stores:
            self._stores[url] = connect(url, clock=FixedClock())
        return self._stores[url]


def _remove(store: Connection, prefix: str) -> None:
    if keys := list(trace.keys_of(store.client, prefix)):
        store.send("DEL", *keys)


class _Run:
    def __init__(
        self, store: Connection, queue: str, clock: FixedClock, names: dict[str, Any], hearing: Hearing
    ) -> None:
        self._store, self._queue, self._clock, self._names, self._hearing = store, queue, clock, names, hearing
        # One connection for all acts, as a process has it: its ids never repeat.
        self._conn = self._connection(_NODE)

    def act(self, act: dict[str, Any]) -> dict[str, Any]:
        if "now_ms" in act:
            self._clock.set(act["now_ms"], back=True)
        if "command" in act:
            self._store.send(*map(unpack, act["command"]))
            return {"after": self._held()}
        call = self._script(act) if "script" in act else self._call(act, self._conn)
        other: list[Heard] = []

        def meanwhile() -> None:
            double = self._call(act, self._connection(_OTHER_NODE))
            other.append(self._hearing(double))

        gate = Gate(act.get("kill_before"), act.get("meanwhile"), meanwhile)
        with trace.record(self._conn, self._queue, changes=False) as recorded, gate.on(self._conn):
            heard = self._hearing(call)
        if "script" in act and "raised" in heard and recorded.steps:
            heard["raised"]["words"] = script_error(str(recorded.steps[-1].error))
        return {
            "heard": heard,
            "other": other[0] if other else None,
            "calls": _calls(recorded, gate),
            "sent": gate.sent,
            "minted": gate.minted,
            "after": self._held(),
        }

    def _connection(self, node: int) -> Connection:
        return self._store.another(clock=self._clock, node=node)

    def _held(self) -> dict[str, trace.Held]:
        return trace.keys_of(self._store.client, queue_key(self._queue, ""))

    def _call(self, act: dict[str, Any], conn: Connection) -> Callable[[], Any]:
        the = {"conn": conn, "queue": self._queue, "mint": lambda: conn.mint()}
        args = [the[each["the"]] if type(each) is dict and "the" in each else unpack(each) for each in act["args"]]
        return lambda: self._names[act["call"]](*args)

    def _script(self, act: dict[str, Any]) -> Callable[[], Any]:
        text, keys, args = self._names[act["script"]], act["keys"], map(unpack, act["args"])
        words = ["EVAL", text, len(keys), *keys, *args]
        return lambda: self._conn.send(*words)


def _calls(recorded: trace.Trace, gate: Gate) -> list[list[str]]:
    """What was called on the store, in order: by scripts, by commands, and by pipelines, which no trace records."""
    calls, piped = [], list(gate.piped)
    for number, step in enumerate(recorded.steps):
        while piped and piped[0][0] <= number:
            calls.append(piped.pop(0)[1])
        calls += [list(each) for each in step.calls or (step.command,)]
    return calls + [words for _, words in piped]


def script_error(told: str) -> str:
    """What a store says of a script, without what is the store's own: the line, and what is wrong there."""
    at = re.search(r"script:([0-9]+): (.*)", told, re.DOTALL)
    return f"error in the script, line {at[1]}: {at[2]}" if at else f"error in the script: {told}"
