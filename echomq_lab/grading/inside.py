"""The room's warden, inside the outer walls: holds the modules warm, and seats each student in a fork.

    python -m echomq_lab.grading.inside FD

FD is a socket to the grader. A message is a JSON line, with the student's end of two sockets beside it:

    {"seat": number, "walls": true, "memory": ..., "cpu_s": ...}   a fork takes the seat and answers on its own socket
    {"leave": number}                                              whoever sits there is killed

The warden knows neither seed nor answers, and a student can do nothing to it: each sits in namespaces of its own.

Source: grading, "A warm server imports the heavy modules once and forks a child per submission".
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import gc
import json
import os
import random
import signal
import socket
import sys
import time
from importlib import import_module
from itertools import pairwise
from typing import Any

from echomq_lab.checks.pupil import ZONE
from echomq_lab.grading import cell_walls
from echomq_lab.grading.seat import Seat

#: What answers and setup cells usually import, loaded once.
_WARM: tuple[str, ...] = ("croniter", "redis", "fakeredis", "zoneinfo", "datetime", "matplotlib.font_manager")
_WARM += tuple(f"echomq_lab.{room}" for room in ("scenario", "readout", "advance_readout", "jobs", "figures", "checks"))
_PR_SET_CHILD_SUBREAPER = 36


def main(number: int) -> int:
    """Serve until the grader closes the line."""
    line = socket.socket(fileno=number)
    # An orphan of a seat is this process's child: a number stays its own until it was waited for.
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for name in _WARM:
        with contextlib.suppress(ImportError):
            import_module(name)
    random.seed(0)
    gc.collect()
    gc.freeze()
    seats: dict[int, tuple[int, bool]] = {}
    line.sendall(b"ready\n")
    while True:
        message, handles = _receive(line)
        if message is None:
            for pid, walls in seats.values():
                _end(pid, walls)
            return 0
        if "leave" in message:
            _end(*seats.pop(message["leave"], (0, True)))
        else:
            seats[message["seat"]] = _seated(message, handles, line), message["walls"]
        for handle in handles:
            os.close(handle)


def _receive(line: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    handles = array.array("i")
    data, aside, _, _ = line.recvmsg(1 << 16, socket.CMSG_SPACE(4 * handles.itemsize))
    for level, kind, held in aside:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            handles.frombytes(held[: len(held) - len(held) % handles.itemsize])
    return (json.loads(data) if data else None), list(handles)


def _seated(message: dict[str, Any], handles: list[int], line: socket.socket) -> int:
    """Fork a student's process; answer the pid by which it is killed, 0 where it could not be seated."""
    ours, theirs = os.pipe()
    outer = os.fork()
    if outer == 0:
        try:
            os.close(ours)
            line.close()
            _take(message, handles, theirs)
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as told:
        inner = told.readline()
    if not message["walls"]:
        return outer
    os.waitpid(outer, 0)
    return int(inner or 0)


def _take(message: dict[str, Any], handles: list[int], told: int) -> None:
    """Take a seat: put up the walls, let go of all that is not the student's, and serve."""
    os.environ["TZ"] = ZONE
    time.tzset()
    taken = 0
    if message["walls"]:
        taken = cell_walls.own_namespaces()
        # This one ends; the other is the first of its namespaces, and whatever it starts ends with it.
        inner = os.fork()
        if inner:
            os.write(told, f"{inner}\n".encode())
            return
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    _close_all_but(handles)
    seat, store = (socket.socket(fileno=handle) for handle in handles)
    if message["walls"]:
        cell_walls.close_in(cell_walls.Limits(message["memory"], message["cpu_s"]), taken)
    Seat(seat, store).serve()


def _close_all_but(handles: list[int]) -> None:
    """Close every open file but the standard ones and these."""
    edges = [2, *sorted(handles), 1 << 20]
    for after, before in pairwise(edges):
        os.closerange(after + 1, before)
    for handle in handles:
        os.set_inheritable(handle, False)


def _end(pid: int, walls: bool) -> None:
    """Kill whoever sits there, and what it started."""
    if pid:
        for kill in (os.kill,) if walls else (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
