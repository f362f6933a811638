"""The process that an answer is tried in, so that nothing it does can hold up or harm the notebook.

    with Forked(names) as pupil:
        pupil.ask({"do": "value", "name": "next_cron"})

A fork of this process: it has all that the notebook defined, and what it changes stays its own. It is killed when it
does not answer in time, and ends by itself should this process go first. Its memory is bounded, and its time zone is
far from UTC, so that local time shows.

Source: exercises, "a child process with a limit"; grading, "Student code and checks never share a process".
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import json
import os
import signal
import socket
import sys
import time
import warnings
from typing import Any, Protocol

from echomq_lab.errors import LabError

#: How long one answer may take, in seconds, and all answers of a check together.
LIMIT_S, TOTAL_S = 2.5, 4.0
#: How much memory the answers may take beside what the notebook holds, in bytes.
MEMORY = 1 << 30
#: A zone of no whole hours, with clock changes.
ZONE = "America/St_Johns"
_GRACE_S = 5.0


class SilenceError(LabError, RuntimeError):
    """No answer came: `why` is "late" or "ended", `given` what was asked, where that is known."""

    def __init__(self, why: str, words: str) -> None:
        self.why, self.given = why, ""
        super().__init__(words)


class Pupil(Protocol):
    """Whoever answers for a student: asked a question of `answering`, as plain data."""

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer. Raises `SilenceError` when none comes, then and ever after."""


class Here:
    """A pupil in this process, for answers of the library's own: what it says is what is expected."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names
        self._answerer: Any = None

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """One question, one answer."""
        if self._answerer is None:
            from echomq_lab.checks.answering import Answerer

            self._answerer = Answerer(self._names)
        answer: dict[str, Any] = self._answerer.answer(question)
        return answer


class Forked:
    """A pupil in a fork of this process; `names` is the notebook's namespace, `total_s` bounds all its answers."""

    def __init__(self, names: dict[str, Any], *, total_s: float = TOTAL_S) -> None:
        self._names, self._left_s = names, total_s
        self._silence: SilenceError | None = None
        self._pid = 0

    def __enter__(self) -> Forked:
        if not hasattr(os, "fork"):
            raise LabError("checks need a system that can fork: Linux, macOS, or Windows by WSL")
        ours, theirs = socket.socketpair()
        with warnings.catch_warnings():
            # The kernel has threads. Nothing of theirs is used in the fork: no sockets, no output, no events.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if self._pid == 0:
            _be_the_pupil(theirs, ours, self._names, self._left_s + _GRACE_S)
        theirs.close()
        self._line = ours
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()
        self._end()

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """One question, one answer. Raises `SilenceError` when none comes."""
        if self._silence is not None:
            raise self._silence
        limit_s, began = min(LIMIT_S, self._left_s), time.monotonic()
        try:
            self._line.sendall(json.dumps(question).encode() + b"\n")
            answer = self._hear(began + limit_s)
        except OSError:
            answer = b""
        self._left_s -= time.monotonic() - began
        if answer is None:
            late = f"no answer within {limit_s:.1f} seconds: is there a loop without end?"
            if limit_s < LIMIT_S:
                late = "all calls of the check together took too long: how long does one of them take?"
            self._silence = SilenceError("late", late)
        elif not answer:
            self._silence = SilenceError("ended", "the process that ran it ended, by an exit or out of memory.")
        else:
            heard: dict[str, Any] = json.loads(answer)
            if "broken" in heard:
                raise LabError(f"the check itself went wrong: {heard['broken']}")
            return heard
        self._end()
        raise self._silence

    def _hear(self, until: float) -> bytes | None:
        """A line, nothing when the other end is closed, None when it is late."""
        heard = bytearray()
        while not heard.endswith(b"\n"):
            self._line.settimeout(max(until - time.monotonic(), 0.001))
            try:
                part = self._line.recv(1 << 16)
            except TimeoutError:
                return None
            if not part:
                return b""
            heard += part
        return bytes(heard)

    def _end(self) -> None:
        if self._pid:
            # What it started is of its session, unless it was killed before it had one.
            for kill in (os.killpg, os.kill):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    kill(self._pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._pid, 0)
            self._pid = 0


def _be_the_pupil(line: socket.socket, theirs: socket.socket, names: dict[str, Any], lives_s: float) -> None:
    """Answer until the line closes; never returns."""
    try:
        theirs.close()
        _settle(lives_s)
        from echomq_lab.checks.answering import Answerer

        answerer = Answerer(names)
        with line.makefile("rb") as questions:
            for question in questions:
                try:
                    answer = answerer.answer(json.loads(question))
                except Exception as error:
                    answer = {"broken": f"{type(error).__name__}: {error}"}
                line.sendall(json.dumps(answer).encode() + b"\n")
    finally:
        os._exit(0)


def _settle(lives_s: float) -> None:
    """Make this fork a process of its own: no terminal, no output, no signals of the kernel's, bounded memory."""
    os.setsid()
    faulthandler.disable()
    gc.freeze()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    # Should this fork be forgotten, it ends by itself.
    signal.setitimer(signal.ITIMER_REAL, lives_s)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.environ["TZ"] = ZONE
    time.tzset()
    _bound_memory()
    if shell := getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)():
        # A display would go to the notebook by a socket of the kernel's.
        shell.display_pub.publish = lambda *_, **__: None


def _bound_memory() -> None:
    import resource

    taken = 0
    with contextlib.suppress(OSError, ValueError), open("/proc/self/statm", encoding="ascii") as statm:
        taken = int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if taken:
            resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, resource.RLIM_INFINITY))
