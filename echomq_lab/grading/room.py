"""The grading room: a sandbox with a warm Python in it, where each student sits in a process of its own.

    with Room() as room:
        with room.seat() as pupil:
            pupil.cells([("ex-1-3-answer", source)])
            judge(exercise("1.3"), pupil, seed=secret, stores=(pupil.url,))

Outer walls by bubblewrap: of the file system only Python, this package and the system's libraries, all read-only; no
network; the room ends with the grader. Inner walls by `cell_walls`. Without bubblewrap there is no room, unless it is
asked for without walls.

Source: grading, "Design", 1 to 3.
"""

from __future__ import annotations

import array
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from echomq_lab.errors import LabError
from echomq_lab.grading.pupil import SeatedPupil
from echomq_lab.grading.store import Store

_PACKAGE = Path(__file__).resolve().parent.parent
#: What of the file system is seen from inside: the system's, Python's, this package's.
_SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/localtime")
_OURS = tuple(dict.fromkeys((sys.base_prefix, sys.prefix, str(_PACKAGE))))
#: How long the room may take to be ready, in seconds.
_READY_S = 30.0


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
        warden = [sys.executable, "-B", "-m", "echomq_lab.grading.inside", str(theirs.fileno())]
        command = [*_bubblewrap(), *warden] if self.walls else warden
        environment = {"PYTHONPATH": str(_PACKAGE.parent), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        # No threads, which no seat can start; and sets are shown in the same order in every room.
        environment |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        self._process = subprocess.Popen(
            command,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
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
            raise IsolationError(f"the grading room did not open: {self._last_words()}")

    def _last_words(self) -> str:
        words = self._process.stderr.read().decode("utf-8", "replace").strip() if self._process.stderr else ""
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
            self.close()
            raise IsolationError(f"the walls around a student do not stand here ({walls})")

    @property
    def open(self) -> bool:
        """Whether the room is still there."""
        return self._process.poll() is None

    def seat(self, store: Store | None = None, *, memory: int = 1 << 29, cpu_s: int = 40) -> SeatedPupil:
        """Seat a student: a fresh process, without any of what another left."""
        self._seats += 1
        ours, theirs = socket.socketpair()
        held, given = socket.socketpair()
        message = {"seat": self._seats, "walls": self.walls, "memory": memory, "cpu_s": cpu_s}
        handles = array.array("i", [theirs.fileno(), given.fileno()])
        with theirs, given:
            self._line.sendmsg(
                [json.dumps(message).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, handles.tobytes())]
            )
        number = self._seats
        return SeatedPupil(ours, held, store, lambda: self._leave(number))

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

    def __exit__(self, *_: object) -> None:
        self.close()
        if self._process.stderr:
            self._process.stderr.close()


def seen_inside(path: Path) -> str:
    """The place by which a path is seen from inside the room; empty for one that is not."""
    real = path.resolve()
    return next((place for place in (*_OURS, *_SYSTEM) if real.is_relative_to(Path(place).resolve())), "")


def missing() -> str:
    """What stands in the way of isolation here, in words; empty when nothing is known to."""
    if sys.platform != "linux":
        return "isolation needs Linux: grade there, in a container or on a server, or pass --no-isolation"
    if shutil.which("bwrap") is None:
        return "isolation needs bubblewrap: `apt-get install bubblewrap` (or dnf), or pass --no-isolation"
    return ""


def _bubblewrap() -> list[str]:
    """The outer walls. Of the file system only what Python and this package need, read-only."""
    seen: list[str] = []
    for place in _SYSTEM:
        if os.path.islink(place) and place != "/etc/localtime":
            seen += ["--symlink", os.readlink(place), place]
        elif os.path.exists(place):
            seen += ["--ro-bind", os.path.realpath(place), place]
    for place in _OURS:
        seen += ["--ro-bind", place, place]
    return [
        "bwrap",
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--hostname",
        "grading",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/tmp",
        *seen,
        # Nothing in the room can be written to, from its first moment.
        *(word for place in ("/tmp", "/dev", "/") for word in ("--remount-ro", place)),
        "--setenv",
        "MPLCONFIGDIR",
        "/tmp",
        "--chdir",
        "/",
    ]
