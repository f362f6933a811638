"""The workers of a grading: each gets the next submission when it is free; one that dies is replaced.

A submission whose worker dies is given to another worker once more: it need not have been the submission. A second time
it is answered as `Lost`, and so is one that takes longer than any should.

Source: grading, "Work on a class".
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from echomq_lab.grading.collect import Submission
from echomq_lab.grading.room import IsolationError

#: How long one submission may take before its worker is ended, in seconds.
LONGEST_S = 300.0
_GRACE_S = 5.0
_WORKER = ("-m", "echomq_lab.grading.worker")
_TRIES = 2


@dataclass(frozen=True, slots=True)
class Done:
    """A submission whose result is written, by this run or (`kept`) an earlier one."""

    submission: Submission
    total: int
    kept: bool


@dataclass(frozen=True, slots=True)
class Lost:
    """A submission that has no result: its worker ended each time, or (`late`) took too long."""

    submission: Submission
    late: bool


class Crew:
    """So many workers, told `how` to grade. Raises `IsolationError` where a worker's room cannot be had."""

    def __init__(self, jobs: int, how: dict[str, Any]) -> None:
        self._how = how
        self._workers: list[_Worker] = []
        try:
            for _ in range(jobs):
                self._workers.append(_Worker(how))
            # A room takes a while to open: all are opened at the same time.
            for worker in self._workers:
                worker.be_ready()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers, and what they hold."""
        for worker in self._workers:
            worker.leave()
        for worker in self._workers:
            worker.end()

    @property
    def busy_with(self) -> list[str]:
        """The students whose submissions are being graded."""
        return [worker.task.student for worker in self._workers if worker.task]

    def grade(self, submissions: Iterable[Submission]) -> Iterator[Done | Lost | None]:
        """Have all submissions graded: each is answered as soon as it is; None when one was begun."""
        waiting = iter(submissions)
        while True:
            for worker in self._workers:
                if worker.task is None and (submission := next(waiting, None)) is not None:
                    worker.give(submission)
                    yield None
            busy = [worker for worker in self._workers if worker.task]
            if not busy:
                return
            left_s = max(min(worker.until for worker in busy) - time.monotonic(), 0)
            heard = select.select([worker.line for worker in busy], [], [], left_s)[0]
            for worker in busy:
                if worker.line in heard and (told := worker.hear()) is not None:
                    assert worker.task is not None
                    yield Done(worker.task, told["total"], told["kept"])
                    worker.task = None
                elif worker.line in heard or time.monotonic() >= worker.until:
                    late = worker.line not in heard
                    if (lost := self._replaced(worker, late=late)) is not None:
                        yield lost

    def _replaced(self, worker: _Worker, *, late: bool) -> Lost | None:
        """Put another worker in a dead one's place, on the same submission; or tell that the submission is lost."""
        submission, tries = worker.task, worker.tries
        assert submission is not None
        worker.end()
        fresh = _Worker(self._how)
        self._workers[self._workers.index(worker)] = fresh
        fresh.be_ready()
        if late or tries >= _TRIES:
            return Lost(submission, late)
        fresh.give(submission, tries + 1)
        return None


class _Worker:
    def __init__(self, how: dict[str, Any]) -> None:
        self.task: Submission | None = None
        self.tries, self.until = 0, 0.0
        self._heard = b""
        # Sets are in the same order in every worker; a session of its own, since Ctrl-C is for the grading.
        self._process = subprocess.Popen(
            [sys.executable, *_WORKER, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONHASHSEED": "0"},
            start_new_session=True,
        )
        self._tell(how)

    @property
    def line(self) -> int:
        """What to wait for it on."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def be_ready(self) -> None:
        """Wait until its room is open. Raises `IsolationError`."""
        told = self.hear()
        if told is None or "refused" in told:
            raise IsolationError(told["refused"] if told else "a grading room did not open: its process ended")

    def give(self, submission: Submission, tries: int = 1) -> None:
        """Have it grade a submission."""
        self.task, self.tries, self.until = submission, tries, time.monotonic() + LONGEST_S
        self._tell({"student": submission.student, "children": submission.children, "remarks": submission.remarks})

    def _tell(self, told: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        # One that died is found out when it is listened to.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(told).encode() + b"\n")
            self._process.stdin.flush()

    def hear(self) -> dict[str, Any] | None:
        """Its next line; None when it has ended."""
        while b"\n" not in self._heard:
            part = os.read(self.line, 1 << 16)
            if not part:
                return None
            self._heard += part
        line, _, self._heard = self._heard.partition(b"\n")
        told: dict[str, Any] = json.loads(line)
        return told

    def leave(self) -> None:
        """Ask it to end: at once when it grades, else by what it reads."""
        if self.task is not None:
            self._process.terminate()
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()

    def end(self) -> None:
        """See that it has ended."""
        self.leave()
        try:
            self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
