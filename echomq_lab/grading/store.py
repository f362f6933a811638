"""Runs on a store in grading: the grader sets up, lets the student's code act, and reads the keys itself.

A student's Lua is fetched as text and run here, on the submission's own server, with the student's rights. A student's
function runs in its seat; each command it sends comes over a line that ends here: it is counted, passed on, held while
another process goes first, or cut off for good. The questions and answers are those of `checks.on_store`.

Source: grading, "The store of a submission"; exercises, "Store exercises".
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import redis

from echomq_lab import trace
from echomq_lab.checks.on_store import script_error
from echomq_lab.checks.plain import pack, unpack
from echomq_lab.checks.pupil import SilenceError
from echomq_lab.clock import FixedClock
from echomq_lab.errors import LabError
from echomq_lab.grading.resp import Lines, Refusal, answer_of, packed, read_command
from echomq_lab.grading.server import Server
from echomq_lab.keyspace import queue_key
from echomq_lab.store import Connection

if TYPE_CHECKING:
    from echomq_lab.grading.pupil import SeatedPupil

#: How long one act may take, in seconds.
LIMIT_S = 2.5
#: The commands by which a client introduces itself, and what it is told; they are no act of the student's.
_HANDSHAKE = {b"HELLO": b"%1\r\n$5\r\nproto\r\n:3\r\n", b"CLIENT": b"+OK\r\n"}
_KILLED = Refusal("ERR the process was killed here")


class Store:
    """The store of one submission, started when it is first needed; `twin` seats a second process of the student's."""

    def __init__(self, twin: Callable[[], SeatedPupil]) -> None:
        self._twin_seat = twin
        self._server: Server | None = None
        self._twin: SeatedPupil | None = None

    def close(self) -> None:
        """End the server and the second process."""
        if self._twin is not None:
            self._twin.__exit__(None, None, None)
            self._twin = None
        if self._server is not None:
            self._server.stop()
            self._server = None

    def run(self, question: dict[str, Any], pupil: SeatedPupil) -> dict[str, Any]:
        """Make one run. Raises `SilenceError` when the student's code does not end, `StoreError` without a server."""
        if self._server is None:
            self._server = Server()
        admin, queue = self._server.admin, question["queue"]
        prefix = queue_key(queue, "")
        admin.flushall()
        for words in question["given"]:
            admin.execute_command(*map(unpack, words))  # type: ignore[no-untyped-call]
        before, now_ms = trace.keys_of(admin, prefix), question["now_ms"]
        minter = Connection(admin, FixedClock(now_ms), url="", node=0)
        answers: list[dict[str, Any]] = []
        for act in question["acts"]:
            now_ms = act.get("now_ms", now_ms)
            minter.clock = FixedClock(now_ms)
            if "command" in act:
                admin.execute_command(*map(unpack, act["command"]))  # type: ignore[no-untyped-call]
                answers.append({})
            elif "script" in act:
                answers.append(self._script(act, queue, now_ms, pupil))
            else:
                answers.append(_Call(self._server, act, queue, now_ms, minter, self._double).run(pupil))
            answers[-1]["after"] = trace.keys_of(admin, prefix)
        return {"before": before, "acts": answers}

    def _script(self, act: dict[str, Any], queue: str, now_ms: int, pupil: SeatedPupil) -> dict[str, Any]:
        text = unpack(pupil.ask({"do": "value", "name": act["script"]}).get("said"))
        assert self._server is not None
        client = self._server.student(LIMIT_S)
        words = ["EVAL", text, len(act["keys"]), *act["keys"], *map(unpack, act["args"])]
        conn = Connection(client, FixedClock(now_ms), url="the store", node=0)
        heard: dict[str, Any]
        with trace.record(conn, queue) as recorded:
            try:
                # A text that is a whole script by itself cannot end the one that the trace puts it in.
                client.script_load(text)
                heard = {"said": pack(client.execute_command(*words))}  # type: ignore[no-untyped-call]
            except redis.TimeoutError:
                self._server.stop()
                self._server = None
                raise SilenceError(
                    "late", f"no answer within {LIMIT_S:.1f} seconds: is there a loop without end?"
                ) from None
            except (redis.RedisError, redis.DataError, LabError) as error:
                told = str(recorded.steps[-1].error if recorded.steps else error)
                heard = {"raised": {"type": "ReplyError", "words": script_error(told), "line": "", "lab": True}}
        client.close()
        calls = [list(each) for step in recorded.steps for each in (step.calls or (step.command,))]
        return {"heard": heard | {"printed": ""}, "other": None, "calls": calls, "sent": 1, "minted": []}

    def _double(self, act: dict[str, Any], queue: str, now_ms: int, minter: Connection) -> dict[str, Any]:
        """The same call by a second process of the student's, whole."""
        if self._twin is None:
            self._twin = self._twin_seat()
        assert self._server is not None
        plain = {key: value for key, value in act.items() if key not in ("meanwhile", "kill_before")}
        answer: dict[str, Any] = _Call(self._server, plain, queue, now_ms, minter, self._double).run(self._twin)[
            "heard"
        ]
        return answer


class _Call:
    """One call of a student's function, its commands passed on one by one."""

    def __init__(
        self,
        server: Server,
        act: dict[str, Any],
        queue: str,
        now_ms: int,
        minter: Connection,
        double: Callable[..., dict[str, Any]],
    ) -> None:
        self._act, self._queue, self._now_ms, self._minter, self._double = act, queue, now_ms, minter, double
        self._client = server.student(LIMIT_S)
        self._sent, self._dead = 0, False
        self._calls: list[list[str]] = []
        self._minted: list[str] = []
        self._other: dict[str, Any] | None = None

    def run(self, pupil: SeatedPupil) -> dict[str, Any]:
        question = {"do": "act", "call": self._act["call"], "args": self._act["args"]}
        question |= {"queue": self._queue, "now_ms": self._now_ms}
        lines = Lines(pupil.line)
        try:
            heard = pupil.exchange(question, LIMIT_S, mint=self._mint, command=lambda: self._pass_on(pupil.line, lines))
        finally:
            self._client.close()
        if self._dead:
            heard = {"raised": {"type": "Killed", "words": "", "line": "", "lab": True}, "printed": ""}
        return {
            "heard": heard,
            "other": self._other,
            "calls": self._calls,
            "sent": self._sent,
            "minted": self._minted,
        }

    def _mint(self) -> str:
        self._minted.append(self._minter.mint())
        return self._minted[-1]

    def _pass_on(self, line: socket.socket, lines: Lines) -> None:
        for words in read_command(lines):
            line.sendall(self._reply(words))

    def _reply(self, words: list[bytes]) -> bytes:
        if words[:1] and (introduced := _HANDSHAKE.get(words[0].upper())):
            return introduced
        number = self._sent + 1
        if self._dead or number == self._act.get("kill_before"):
            self._dead = True
            return _KILLED.packed()
        if number == self._act.get("meanwhile"):
            self._other = self._double(self._act, self._queue, self._now_ms, self._minter)
        self._sent = number
        with contextlib.suppress(redis.TimeoutError):
            return packed(self._answer(words))
        raise TimeoutError

    def _answer(self, words: list[bytes]) -> Any:
        """The store's answer; of a script also what it called, as in a trace."""
        texts = tuple(word.decode("utf-8", "surrogateescape") for word in words)
        noting = trace.noting(texts) if texts else None
        if noting is not None and texts[0].upper() == "EVAL":
            # A text that is a whole script by itself cannot end the one that the trace puts it in.
            fault = answer_of(self._client, [b"SCRIPT", b"LOAD", words[1]])
            noting = None if isinstance(fault, redis.ResponseError) else noting
        answer = answer_of(self._client, words if noting is None else noting)
        calls: tuple[tuple[str, ...], ...] = ()
        if noting is not None and not isinstance(answer, redis.ResponseError):
            calls, done, answer = trace.noted(answer)
            if not done:
                answer = redis.ResponseError(answer.decode("utf-8", "replace") if type(answer) is bytes else "ERR")
        self._calls += [list(call) for call in calls or (texts,)]
        return answer
