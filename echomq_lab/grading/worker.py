"""A worker: a process with a grading room that grades submission by submission, and writes each result.

    python -m echomq_lab.grading.worker PARENT

JSON lines come on its standard input: first how to grade, then submissions. A JSON line goes back when the room is
open (or cannot be), and one for each submission. It ends when its input closes; where the kernel can tell, as soon as
its parent is gone.

Source: grading, "A warm server", "Work on a class".
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

from echomq_lab.grading import collect, dives, out, released
from echomq_lab.grading.grade import grade
from echomq_lab.grading.graded import fingerprint
from echomq_lab.grading.room import IsolationError, Room

_PR_SET_PDEATHSIG = 1


def main(parent: int) -> int:
    """Grade until the input closes."""
    signal.signal(signal.SIGTERM, _leave)
    _end_with(parent)
    how = json.loads(sys.stdin.readline())
    try:
        # What a store leaves behind is gone with this folder, however the store ended.
        with tempfile.TemporaryDirectory(dir=how["scratch"], ignore_cleanup_errors=True) as own:
            tempfile.tempdir = own
            _serve(how)
    finally:
        if os.getppid() != parent:
            # Nobody else is left to remove it.
            with contextlib.suppress(OSError):
                os.rmdir(how["scratch"])
    return 0


def _serve(how: dict[str, Any]) -> None:
    """Open a room and grade what comes; or tell why there is none."""
    for dive in released.DIVES:
        released.released(dive)
    try:
        with Room(walls=how["walls"]) as room:
            _say({"ready": True})
            for line in sys.stdin:
                _say(_graded(json.loads(line), how, room))
    except IsolationError as error:
        _say({"refused": str(error)})


def _graded(told: dict[str, Any], how: dict[str, Any], room: Room) -> dict[str, Any]:
    """Grade one submission and write its result; or leave it where the one that is there stands."""
    submission = collect.Submission(told["student"], tuple(told["children"]), tuple(told["remarks"]))
    handed = collect.read(Path(how["folder"]), submission)
    path, seed, student = out.result(Path(how["out"]), submission.student), how["seed"], submission.student
    kit, print_ = version("echomq-lab"), fingerprint(seed)
    if how["resume"] and (stands := out.stands(path, student, handed.content, kit, print_, isolated=how["walls"])):
        return {"student": student, "total": stands.total, "kept": True}
    plans, remarks = dives.plans(handed.found)
    graded = grade(student, submission.name, handed.content, plans, (*handed.remarks, *remarks), room, seed)
    if not room.open:
        raise RuntimeError("the room ended while a submission was graded in it")
    out.write(path, graded.to_json())
    return {"student": student, "total": graded.total, "kept": False}


def _say(told: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def _leave(*_: object) -> NoReturn:
    """Leave in order, so that the room and the store end and their folders go."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


def _end_with(parent: int) -> None:
    """Be told when the parent ends, and leave at once if it has."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
