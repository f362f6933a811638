"""The room's warden, inside the outer walls: holds the modules warm, and seats one student at a time in a fork.

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
import gc
import json
import os
import random
import signal
import socket
import sys
import time
from typing import Any

from echomq_lab.checks.pupil import ZONE
from echomq_lab.grading import cell_walls
from echomq_lab.grading.seat import Seat

#: What answers and setup cells usually import, loaded once.
_WARM: tuple[str, ...] = ("croniter", "redis", "fakeredis", "zoneinfo", "datetime")
_WARM += tuple(f"echomq_lab.{room}" for room in ("scenario", "readout", "advance_readout", "jobs", "figures", "checks"))


def main(number: int) -> int:
    """Serve until the grader closes the line."""
    line = socket.socket(fileno=number)
    _warm()
    gc.freeze()
    seats: dict[int, int] = {}
    line.sendall(b"ready\n")
    while True:
        message, handles = _receive(line)
        if message is None:
            for pid in seats.values():
                _end(pid)
            return 0
        if "leave" in message:
            _end(seats.pop(message["leave"], 0))
        else:
            seats[message["seat"]] = _seated(message, handles, line)
        for handle in handles:
            os.close(handle)


def _warm() -> None:
    access = os.access
    # matplotlib refuses to be imported where there is no folder to write to, as here, and then writes nothing.
    os.access = lambda *_, **__: True
    for name in _WARM:
        with contextlib.suppress(ImportError):
            __import__(name)
    os.access = access
    random.seed(0)


def _receive(line: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    handles = array.array("i")
    data, aside, _, _ = line.recvmsg(1 << 16, socket.CMSG_SPACE(4 * handles.itemsize))
    for level, kind, held in aside:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            handles.frombytes(held[: len(held) - len(held) % handles.itemsize])
    return (json.loads(data) if data else None), list(handles)


def _seated(message: dict[str, Any], handles: list[int], line: socket.socket) -> int:
    """Fork a student's process; answer the pid by which it is killed."""
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
    os.environ["TZ"] = ZONE
    time.tzset()
    if message["walls"]:
        cell_walls.own_namespaces()
        cell_walls.measure()
        # This one ends; the other is the first of its namespaces, and whatever it starts ends with it.
        inner = os.fork()
        if inner:
            os.write(told, f"{inner}\n".encode())
            return
    os.close(told)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    seat, store = (socket.socket(fileno=handle) for handle in handles)
    for each in (seat, store):
        each.set_inheritable(False)
    keep = {0, 1, 2, seat.fileno(), store.fileno()}
    for number in range(3, 256):
        if number not in keep:
            with contextlib.suppress(OSError):
                os.close(number)
    if message["walls"]:
        cell_walls.close_in(cell_walls.Limits(message["memory"], message["cpu_s"]))
    Seat(seat, store).serve()


def _end(pid: int) -> None:
    if pid:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
