"""A student's side in grading: runs the cells of a notebook, then answers questions about what they defined.

A JSON line comes, a JSON line goes back:

    {"do": "cells", "cells": [[id, source], ...]}     runs them in order; one that raises does not stop the later ones
    {"do": "act", "call": ..., "args": [...], ...}    calls a function with a connection to the store of this submission
    the questions of `checks.answering`               but for `store`, which the grader answers itself

The first line of all is {"seated": true}. In the middle of an act the student's side may ask back, {"mint": true}, and
gets an id: what was minted is for the grader to know, not for the student to tell.

Source: grading, "Student code and checks never share a process", "Cells are matched by id".
"""

from __future__ import annotations

import contextlib
import json
import linecache
import os
import re
import socket
from collections.abc import Iterator
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.connection import UnixDomainSocketConnection
from redis.retry import Retry

from echomq_lab.checks.answering import Answerer
from echomq_lab.checks.plain import unpack
from echomq_lab.clock import FixedClock
from echomq_lab.store import Connection

#: A line that is IPython's and not Python's: a magic, a shell escape, a question.
_MAGIC = re.compile(r"^\s*(?:[%!].*|[^#'\"]*\?\??)\s*$")


class _Held(UnixDomainSocketConnection):
    """A connection over a socket that is open already: nothing here may open one."""

    line: socket.socket

    def _connect(self) -> socket.socket:
        return _Line(fileno=os.dup(self.line.fileno()))


class _Line(socket.socket):
    """The line to the store, which a client that is closed must not close for good."""

    def shutdown(self, how: int) -> None:
        """Leave it as it is: the next client talks over the same line."""


class Seat:
    """Answers on `seat`; `store` is the socket to the submission's store."""

    def __init__(self, seat: socket.socket, store: socket.socket) -> None:
        self._seat, self._questions = seat, seat.makefile("rb")
        # What IPython brings and answers may use: there is nobody here to show a thing to.
        self._names: dict[str, Any] = {"__name__": "__main__", "display": lambda *_, **__: None}
        self._answerer = Answerer(self._names)
        self._client = _client(store)

    def serve(self) -> None:
        """Say that the seat is taken, and answer until the line closes."""
        self._say({"seated": True})
        for line in self._questions:
            question = json.loads(line)
            match question["do"]:
                case "cells":
                    answer: dict[str, Any] = {"ran": [self._cell(*cell) for cell in question["cells"]]}
                case "act":
                    answer = self._act(question)
                case _:
                    answer = self._answerer.answer(question)
            self._say(answer)

    def _say(self, answer: dict[str, Any]) -> None:
        self._seat.sendall(json.dumps(answer).encode() + b"\n")

    def _cell(self, cell_id: str, source: str) -> dict[str, Any]:
        """Run one cell. Tells its error, and the lines that were not run since they are no Python."""
        kept, skipped = _without_magics(source)
        name = f"<cell {cell_id}>"
        # A cell's lines are found again when an error tells where it was.
        linecache.cache[name] = (len(kept), None, kept.splitlines(keepends=True), name)
        heard = self._answerer.heard(lambda: exec(compile(kept, name, "exec"), self._names))
        return {"id": cell_id, "skipped": skipped, "raised": heard.get("raised")}

    def _act(self, question: dict[str, Any]) -> dict[str, Any]:
        clock = FixedClock(question["now_ms"])
        conn = Connection(self._client, clock, url="the store", node=0)
        the = {"conn": conn, "queue": question["queue"], "mint": self._mint}
        args = [the[each["the"]] if type(each) is dict and "the" in each else unpack(each) for each in question["args"]]
        with _minting(conn, self._mint):
            return self._answerer.heard(lambda: self._names[question["call"]](*args))

    def _mint(self) -> str:
        self._say({"mint": True})
        return str(json.loads(self._questions.readline())["id"])


@contextlib.contextmanager
def _minting(conn: Connection, mint: Any) -> Iterator[None]:
    conn.mint = lambda namespace="JOB": mint()  # type: ignore[method-assign]
    yield


def _client(store: socket.socket) -> redis.Redis:
    kind = type("Held", (_Held,), {"line": store})
    pool = redis.ConnectionPool(
        connection_class=kind,
        driver_info=None,
        retry=Retry(NoBackoff(), 0),
        decode_responses=True,
        encoding_errors="surrogateescape",
    )
    return redis.Redis(connection_pool=pool)


def _without_magics(source: str) -> tuple[str, list[str]]:
    """The source with IPython's own lines left blank, and those lines; a source that is Python stays as it is."""
    try:
        compile(source, "<cell>", "exec")
    except (SyntaxError, ValueError):
        lines = source.split("\n")
        if lines and lines[0].startswith("%%"):
            return "", [lines[0]]
        skipped = [line for line in lines if _MAGIC.match(line)]
        return "\n".join("" if _MAGIC.match(line) else line for line in lines), skipped
    except Exception:
        pass
    return source, []
