"""Runs on a store in grading: the grader sets up, lets the student's code act, and reads the keys itself.

A student's Lua is fetched as text and run here, on the submission's own server, with the student's rights; what it
calls is overheard. A student's function runs in its seat; each command it sends comes over a line that ends here: see
`passing`. The questions and answers are those of `checks.on_store`.

Source: grading, "The store of a submission"; exercises, "Store exercises".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import redis

from echomq_lab import trace
from echomq_lab.checks.on_store import script_error
from echomq_lab.checks.plain import pack, unpack
from echomq_lab.checks.pupil import SilenceError
from echomq_lab.clock import FixedClock
from echomq_lab.errors import LabError, StoreError
from echomq_lab.grading.passing import Passing
from echomq_lab.grading.server import SCRIPT_S, Server
from echomq_lab.keyspace import queue_key
from echomq_lab.store import Connection

if TYPE_CHECKING:
    from echomq_lab.grading.pupil import SeatedPupil

#: How long one call may take, in seconds.
LIMIT_S = 2.5
STORE_LOST = "the store did not survive it, or it had the store say more than can be heard."
#: How many keys a queue may have after an act, and how many characters they may hold.
_MOST_KEYS, _MOST_HELD = 500, 200_000
_LOST = (redis.ConnectionError, redis.TimeoutError, StoreError)


class Servers:
    """The servers of one submission, one after the other: where one has been ended, another begins."""

    def __init__(self, *, walls: bool = True) -> None:
        self._walls = walls
        self._server: Server | None = None

    def start(self) -> Server:
        """The server, which may be starting still. Raises `StoreError` where there is none."""
        if self._server is None:
            self._server = Server(walls=self._walls)
        return self._server

    def close(self) -> None:
        """End the server; again is harmless."""
        if self._server is not None:
            self._server.stop()
            self._server = None


class Store:
    """What a notebook's store exercises run on; `twin` seats a second process of the student's."""

    def __init__(self, twin: Callable[[], SeatedPupil], servers: Servers) -> None:
        self._twin_seat, self._servers = twin, servers
        self._twin: SeatedPupil | None = None

    def close(self) -> None:
        """End the second process; again is harmless."""
        if self._twin is not None:
            self._twin.__exit__()
            self._twin = None

    def run(self, question: dict[str, Any], pupil: SeatedPupil) -> dict[str, Any]:
        """Make one run. Raises `SilenceError` when the student's code does not end, or ends the store.

        Raises `StoreError` when there is none.
        """
        try:
            server = self._servers.start().ready()
        except StoreError:
            self._servers.close()
            raise
        try:
            return self._run(server, question, pupil)
        except SilenceError:
            # Whatever it was, a script of it may be running still.
            self._servers.close()
            raise
        except _LOST:
            self._servers.close()
            raise SilenceError("ended", STORE_LOST) from None

    def _run(self, server: Server, question: dict[str, Any], pupil: SeatedPupil) -> dict[str, Any]:
        admin, queue, now_ms = server.admin, question["queue"], question["now_ms"]
        admin.flushall()
        server.calls()  # what is not listened to piles up
        for words in question["given"]:
            admin.execute_command(*map(unpack, words))  # type: ignore[no-untyped-call]
        before = _keys(admin, queue)
        clock = FixedClock(now_ms)
        minter = Connection(admin, clock, url="", node=0)
        answers: list[dict[str, Any]] = []
        for act in question["acts"]:
            now_ms = act.get("now_ms", now_ms)
            clock.set(now_ms, back=True)
            if "command" in act:
                admin.execute_command(*map(unpack, act["command"]))  # type: ignore[no-untyped-call]
                answers.append({})
            elif "script" in act:
                answers.append(self._script(server, act, pupil))
            else:
                answers.append(self._call(server, act, queue, now_ms, minter, pupil))
            answers[-1]["after"] = _keys(admin, queue)
        return {"before": before, "acts": answers}

    def _script(self, server: Server, act: dict[str, Any], pupil: SeatedPupil) -> dict[str, Any]:
        text = unpack(pupil.ask({"do": "value", "name": act["script"]})["said"])
        if type(text) not in (str, bytes):
            raise SilenceError("ended", "the script is no text any more.")
        words = ["EVAL", text, len(act["keys"]), *act["keys"], *map(unpack, act["args"])]
        heard: dict[str, Any]
        with pupil.patience(SCRIPT_S) as patience:
            try:
                heard = {"said": pack(server.scripts.execute_command(*words))}  # type: ignore[no-untyped-call]
            except redis.TimeoutError:
                raise patience.end() from None
            except redis.ResponseError as error:
                told = script_error(trace.error_text(error))
                heard = {"raised": {"type": "ReplyError", "words": told, "line": "", "lab": True}}
        return {"heard": heard | {"printed": ""}, "other": None, "calls": server.calls(), "sent": 1, "minted": []}

    def _call(
        self, server: Server, act: dict[str, Any], queue: str, now_ms: int, minter: Connection, pupil: SeatedPupil
    ) -> dict[str, Any]:
        """One call of a student's function. Where it says so, a second process makes the same call in the middle."""
        question = {"do": "act", "call": act["call"], "args": act["args"], "queue": queue, "now_ms": now_ms}

        def one(caller: SeatedPupil, passing: Passing) -> dict[str, Any]:
            with passing:
                heard = caller.exchange(question, LIMIT_S, mint=passing.mint, command=passing.take)
            return {"raised": _KILLED, "printed": ""} if passing.dead else heard

        other: list[dict[str, Any]] = []
        twin = self._seated_twin(pupil) if "meanwhile" in act else None

        def meanwhile() -> None:
            assert twin is not None
            other.append(one(twin, Passing(server, twin.line, minter)))

        passing = Passing(
            server, pupil.line, minter, kill_before=act.get("kill_before"), before=act.get("meanwhile"), do=meanwhile
        )
        heard = one(pupil, passing)
        return {
            "heard": heard,
            "other": other[0] if other else None,
            "calls": passing.calls,
            "sent": passing.sent,
            "minted": passing.minted,
        }

    def _seated_twin(self, pupil: SeatedPupil) -> SeatedPupil:
        """A second process of the student's, from which the same is hidden as from the first."""
        if self._twin is not None and self._twin.silent:
            self.close()
        if self._twin is None:
            self._twin = self._twin_seat()
        self._twin.ask({"do": "hide", "what": pupil.hidden})
        return self._twin


_KILLED = {"type": "Killed", "words": "", "line": "", "lab": True}


def _keys(admin: redis.Redis, queue: str) -> dict[str, trace.Held]:
    """What the keys of the queue hold. Raises `SilenceError` when that is more than an answer can have a use for."""
    too_much = SilenceError("ended", "it filled the store with more than can be looked at.")
    if int(admin.dbsize()) > _MOST_KEYS:
        raise too_much
    try:
        keys = trace.keys_of(admin, queue_key(queue, ""))
    except LabError:
        raise too_much from None
    if sum(len(key) + _size(held) for key, held in keys.items()) > _MOST_HELD:
        raise too_much
    return keys


def _size(held: trace.Held) -> int:
    if isinstance(held, str):
        return len(held)
    if isinstance(held, dict):
        return sum(len(name) + len(value) for name, value in held.items())
    if isinstance(held, list):
        return sum(len(str(each)) for each in held)
    return 1
