"""A student in the grading room, as the judge asks: questions out, and nothing believed but plain values.

What runs on stores is run from here: the store is the grader's, its keys are read by the grader, and each command that
a student's function sends passes through these hands, where it is counted, held up or cut off.

Source: grading, "Student code and checks never share a process"; exercises, "Store exercises".
"""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Callable
from typing import Any

from echomq_lab.checks.pupil import SilenceError
from echomq_lab.grading import believe
from echomq_lab.grading.store import Store

#: How long an answer may take, in seconds; and all answers to one exercise, and the cells of a notebook.
LIMIT_S, EXERCISE_S, CELLS_S = 2.5, 10.0, 10.0
_LONGEST = 1 << 22


class SeatedPupil:
    """Whoever sits at the other end of `seat`. `store` is what its functions and scripts run on."""

    def __init__(
        self, seat: socket.socket, line: socket.socket, store: Store | None, leave: Callable[[], None]
    ) -> None:
        self._seat, self.line, self._store, self._leave = seat, line, store, leave
        self._heard = bytearray()
        self._silence: SilenceError | None = None

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

    def cells(self, cells: list[tuple[str, str]]) -> list[dict[str, Any]]:
        """Run the cells of a notebook; answer what is told of each. Raises `SilenceError`."""
        ran: list[dict[str, Any]] = self.exchange({"do": "cells", "cells": cells}, CELLS_S)["ran"]
        return ran

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer to a question of `checks.answering`. Raises `SilenceError`."""
        if question["do"] == "store":
            if self._store is None:
                raise SilenceError("ended", "there is no store to run it on.")
            return self._store.run(question, self)
        return self.exchange(question, LIMIT_S)

    def exchange(
        self,
        question: dict[str, Any],
        limit_s: float,
        *,
        mint: Callable[[], str] | None = None,
        command: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        """Send a question and wait for its answer; meanwhile mint ids and pass commands of the store on.

        Raises `SilenceError` when none comes in time, when the line closes, or when what comes is no answer: then and
        ever after.
        """
        if self._silence is not None:
            raise self._silence
        until = time.monotonic() + limit_s
        try:
            self._seat.settimeout(limit_s)
            self._seat.sendall(json.dumps(question).encode() + b"\n")
            while True:
                answer = self._next_line(until, command)
                if mint is None or answer != {"mint": True}:
                    return believe.believed(question, answer)
                self._seat.sendall(json.dumps({"id": mint()}).encode() + b"\n")
        except TimeoutError:
            self._fall_silent("late", f"no answer within {limit_s:.1f} seconds: is there a loop without end?")
        except (OSError, EOFError):
            self._fall_silent("ended", "the process that ran it ended, by an exit or out of memory.")
        except (ValueError, RecursionError):
            self._fall_silent("ended", "it sent what is no answer.")
        raise AssertionError("unreachable")

    def _fall_silent(self, why: str, words: str) -> None:
        self._silence = SilenceError(why, words)
        self._leave()
        raise self._silence

    def _next_line(self, until: float, command: Callable[[], None] | None) -> dict[str, Any]:
        """The next line of the student's, as a JSON object."""
        lines = [self._seat, self.line] if command else [self._seat]
        while b"\n" not in self._heard:
            left_s = until - time.monotonic()
            ready = select.select(lines, [], [], max(left_s, 0))[0] if left_s > 0 else []
            if not ready:
                raise TimeoutError
            if self.line in ready and command:
                command()
            if self._seat in ready:
                part = self._seat.recv(1 << 16)
                if not part or len(self._heard) > _LONGEST:
                    raise EOFError
                self._heard += part
        line, _, rest = self._heard.partition(b"\n")
        self._heard = bytearray(rest)
        return believe.parsed(bytes(line))
