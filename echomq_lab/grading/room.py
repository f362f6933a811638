"""The grading room: a sandbox with a warm Python in it, where each student sits in a process of its own.

    with Room() as room:
        with room.seat() as pupil:
            pupil.cells([("ex-1-3-answer", source)])
            judge(exercise("1.3"), pupil, seed=secret, stores=(VALKEY,))

The outer walls are `outer_walls`, by bubblewrap; the inner ones `cell_walls`. Without bubblewrap there is no room,
unless it is asked for without walls.

Source: grading, "Design", 1 to 3.
"""

from __future__ import annotations

import array
import contextlib
import json
import socket
import subprocess
import sys
import tempfile

from echomq_lab.errors import LabError
from echomq_lab.grading import outer_walls
from echomq_lab.grading.outer_walls import PACKAGE, missing, seen_inside
from echomq_lab.grading.pupil import SeatedPupil
from echomq_lab.grading.store import Store

#: How long the room may take to be ready, and a seat to be taken, in seconds.
_READY_S, _SEATED_S = 60.0, 15.0
#: numpy's threads are none of a student's, who may start none; what matplotlib keeps goes where nobody else reads it.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
#: Sets are shown in the same order in every room.
_ENVIRONMENT |= {"PYTHONHASHSEED": "0"}


__all__ = ["IsolationError", "Room", "missing", "seen_inside"]


class IsolationError(LabError, RuntimeError):
    """No isolation can be had here."""


class Room:
    """A sandbox; `walls` False runs students without one. Raises `IsolationError` where it cannot be had."""

    def __init__(self, *, walls: bool = True) -> None:
        self.walls = walls
        self._seats = 0

    def __enter__(self) -> Room:
        if self.walls and (why := missing()):
            raise IsolationError(why)
        self._start()
        if self.walls:
            self._probe()
        return self

    def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        warden = ["-B", "-m", "echomq_lab.grading.inside", str(theirs.fileno())]
        environment = _ENVIRONMENT | {"PYTHONPATH": str(PACKAGE.parent)}
        if self.walls:
            environment |= {"HOME": outer_walls.SCRATCH, "MPLCONFIGDIR": outer_walls.SCRATCH}
        # A file, not a pipe that somebody would have to drain.
        self._told = tempfile.TemporaryFile()  # noqa: SIM115  closed with the room
        self._process = subprocess.Popen(
            outer_walls.python(*warden) if self.walls else [sys.executable, *warden],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._told,
            env=environment,
            start_new_session=True,
        )
        theirs.close()
        self._line = ours
        ours.settimeout(_READY_S)
        try:
            ready = ours.recv(64)
        except OSError:
            ready = b""
        if ready != b"ready\n":
            self.close()
            why = self._last_words()
            self._let_go()
            raise IsolationError(f"the grading room did not open: {why}")

    def _last_words(self) -> str:
        self._told.seek(0)
        words = self._told.read().decode("utf-8", "replace").strip()
        return words.splitlines()[-1] if words else "no reason was told"

    def _probe(self) -> None:
        """See that the inner walls stand: a student who sits here cannot even open a socket."""
        code = (
            "import socket\ntry:\n    socket.socket()\n    walls = 'none'\nexcept PermissionError:\n    walls = 'stand'"
        )
        with self.seat() as pupil:
            try:
                pupil.cells([("probe", code)])
                walls = pupil.ask({"do": "value", "name": "walls"})["said"]
            except LabError as error:
                walls = str(error)
        if walls != "stand":
            self.__exit__()
            raise IsolationError(f"the walls around a student do not stand here ({walls})")

    @property
    def open(self) -> bool:
        """Whether the room is still there."""
        return self._process.poll() is None

    def seat(self, store: Store | None = None, *, memory: int = 1 << 29, cpu_s: int = 40) -> SeatedPupil:
        """Seat a student: a fresh process, without any of what another left.

        A room whose warden has ended is opened again, once. Raises `IsolationError` when nobody can be seated.
        """
        with contextlib.suppress(OSError):
            return self._seat(store, memory, cpu_s)
        self.__exit__()
        self._start()
        try:
            return self._seat(store, memory, cpu_s)
        except OSError as error:
            self.__exit__()
            raise IsolationError(f"nobody can be seated in the grading room ({error})") from None

    def _seat(self, store: Store | None, memory: int, cpu_s: int) -> SeatedPupil:
        self._seats += 1
        number = self._seats
        message = {"seat": number, "walls": self.walls, "memory": memory, "cpu_s": cpu_s}
        ours, theirs = socket.socketpair()
        held, given = socket.socketpair()
        pupil = SeatedPupil(ours, held, store, lambda: self._leave(number))
        handles = array.array("i", [theirs.fileno(), given.fileno()])
        try:
            with theirs, given:
                self._line.sendmsg(
                    [json.dumps(message).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, handles.tobytes())]
                )
            pupil.greeted(_SEATED_S)
        except OSError:
            pupil.__exit__()
            raise
        return pupil

    def _leave(self, number: int) -> None:
        with contextlib.suppress(OSError):
            self._line.send(json.dumps({"leave": number}).encode())

    def close(self) -> None:
        """End the room and everybody in it; again is harmless."""
        self._line.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _let_go(self) -> None:
        self._told.close()

    def __exit__(self, *_: object) -> None:
        self.close()
        self._let_go()
