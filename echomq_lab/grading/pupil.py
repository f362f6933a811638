"""A student in the grading room, as the judge asks: questions out, and nothing believed but plain values.

What runs on stores is run from here: the store is the grader's, its keys are read by the grader, and each command that
a student's function sends passes through these hands, where it is counted, held up or cut off.

Source: grading, "Student code and checks never share a process"; exercises, "Store exercises".
"""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from echomq_lab.checks.pupil import SilenceError
from echomq_lab.errors import StoreError
from echomq_lab.grading import believe
from echomq_lab.grading.patience import Budget, Patience
from echomq_lab.grading.store import STORE_LOST, Store

#: How long an answer may take, in seconds; and all answers to one exercise; and the cells of a notebook together.
LIMIT_S, EXERCISE_S, CELLS_S = 2.5, 15.0, 15.0
#: The longest line that is heard, in bytes, and how many ids are minted in one act.
_LONGEST, _MOST_MINTED = 1 << 21, 2_000


class SeatedPupil:
    """Whoever sits at the other end of `seat`. `store` is what its functions and scripts run on."""

    def __init__(
        self, seat: socket.socket, line: socket.socket, store: Store | None, leave: Callable[[], None]
    ) -> None:
        self._seat, self.line, self._store, self._leave = seat, line, store, leave
        self._heard = bytearray()
        self._looked = 0
        self._silence: tuple[str, str] | None = None
        self._budget = Budget(CELLS_S, "the cells")
        self._values: dict[str, dict[str, Any]] = {}
        #: The parts of the library that are hidden for the exercise.
        self.hidden: list[str] = []

    @property
    def silent(self) -> bool:
        """Whether nobody answers here any more."""
        return self._silence is not None

    def __enter__(self) -> SeatedPupil:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()
        self._seat.close()
        self.line.close()

    def greeted(self, limit_s: float) -> None:
        """Wait until the seat is taken. Raises `OSError` when it is not."""
        try:
            if self._next_line(Patience(limit_s, ""), None) == {"seated": True}:
                return
        except (SilenceError, EOFError, ValueError) as error:
            raise OSError("the walls did not stand in time") from error
        raise OSError("somebody else sits there")

    def cells(self, cells: list[tuple[str, str]]) -> list[dict[str, Any]]:
        """Run cells of a notebook; answer what is told of each. Raises `SilenceError`."""
        ran: list[dict[str, Any]] = self.exchange({"do": "cells", "cells": cells}, CELLS_S)["ran"]
        return ran

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer to a question of `checks.answering`. Raises `SilenceError`.

        An exercise begins where its parts are hidden; within it, what a name holds is asked once.
        """
        match question["do"]:
            case "store":
                if self._store is None:
                    raise SilenceError("ended", "there is no store to run it on.")
                return self._store.run(question, self)
            case "hide":
                self._budget = Budget(EXERCISE_S, "the answers to this exercise")
                self._values, self.hidden = {}, list(question["what"])
            case "value":
                if question["name"] not in self._values:
                    self._values[question["name"]] = self.exchange(question, LIMIT_S)
                return self._values[question["name"]]
        return self.exchange(question, LIMIT_S)

    @contextmanager
    def patience(self, limit_s: float) -> Iterator[Patience]:
        """Patience for something that the student's code does elsewhere, out of what the exercise has left."""
        with self._budget.patience(limit_s) as patience:
            yield patience

    def exchange(
        self,
        question: dict[str, Any],
        limit_s: float,
        *,
        mint: Callable[[], str] | None = None,
        command: Callable[[Patience], None] | None = None,
    ) -> dict[str, Any]:
        """Send a question and wait for its answer; meanwhile mint ids and pass commands of the store on.

        Raises `SilenceError` when none comes in time, when the line closes, or when what comes is no answer: then and
        ever after.
        """
        if self._silence is not None:
            raise SilenceError(*self._silence)
        try:
            with self._budget.patience(limit_s) as patience:
                self._say(question, patience)
                return believe.believed(question, self._answer(patience, mint, command))
        except SilenceError as silence:
            self._fall_silent(silence.why, str(silence))
        except StoreError:
            self._fall_silent("ended", STORE_LOST)
        except (OSError, EOFError):
            self._fall_silent("ended", "the process that ran it ended, by an exit or out of memory.")
        except (ValueError, RecursionError):
            self._fall_silent("ended", "it sent what is no answer.")
        raise AssertionError("unreachable")

    def _answer(
        self, patience: Patience, mint: Callable[[], str] | None, command: Callable[[Patience], None] | None
    ) -> dict[str, Any]:
        for _ in range(_MOST_MINTED):
            answer = self._next_line(patience, command)
            if mint is None or answer != {"mint": True}:
                return answer
            self._say({"id": mint()}, patience)
        raise ValueError("ids without end")

    def _say(self, message: dict[str, Any], patience: Patience) -> None:
        if self._heard or (_ready([self._seat], 0) and self._seat.recv(1, socket.MSG_PEEK)):
            raise ValueError("an answer before the question")
        self._seat.settimeout(patience.left_s)
        try:
            self._seat.sendall(json.dumps(message).encode() + b"\n")
        except TimeoutError:
            raise patience.end() from None

    def _fall_silent(self, why: str, words: str) -> None:
        self._silence = why, words
        self._leave()
        raise SilenceError(why, words) from None

    def _next_line(self, patience: Patience, command: Callable[[Patience], None] | None) -> dict[str, Any]:
        """The next line of the student's, as a JSON object."""
        awaited = [self._seat, self.line] if command else [self._seat]
        while (end := self._heard.find(b"\n", self._looked)) < 0:
            self._looked = len(self._heard)
            ready = _ready(awaited, patience.left_s)
            if self.line in ready and command:
                command(patience)
            elif ready:
                part = self._seat.recv(1 << 16)
                if not part:
                    raise EOFError
                if len(self._heard) > _LONGEST:
                    raise ValueError("a line without end")
                self._heard += part
        line = bytes(self._heard[:end])
        del self._heard[: end + 1]
        self._looked = 0
        return believe.parsed(line)


def _ready(lines: list[socket.socket], wait_s: float) -> list[socket.socket]:
    """Those of the lines on which something has come."""
    poll = select.poll()
    for line in lines:
        poll.register(line, select.POLLIN)
    numbers = {number for number, _ in poll.poll(wait_s * 1000)}
    return [line for line in lines if line.fileno() in numbers]
