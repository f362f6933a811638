"""The folder that a grading writes to: a result for each student, whole or not there at all.

    DIR/grading.json            that this is one, by which kit and seed
    DIR/results/<student>.json  a result: see `graded`
    DIR/set-aside/              results of an earlier run whose student is not in the class any more

Nothing else is touched. One grading at a time writes to a folder.

Source: grading, "Work on a class".
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from echomq_lab.checks.verdict import Status
from echomq_lab.errors import LabError
from echomq_lab.grading import naming, results
from echomq_lab.grading.graded import Graded, ResultError, from_json
from echomq_lab.wording import visible

MARK, RESULTS, SET_ASIDE = "grading.json", "results", "set-aside"
_WHAT = "echomq-lab grade"


class OutError(LabError, OSError):
    """A folder that results cannot be written to."""


def result(out: Path, student: str) -> Path:
    """The file of a student's result."""
    return out / RESULTS / f"{naming.safe(student)}.json"


def refuse(out: Path, *, resume: bool) -> None:
    """Raises `OutError` for a folder that holds something else than an earlier grading, or nothing to resume."""
    where = visible(str(out), 400)
    try:
        held = sorted(os.listdir(out)) if os.path.lexists(out) else []
    except OSError as error:
        raise OutError(f"cannot write to {where}: {error.strerror or error}") from error
    if held and not _is_ours(out / MARK):
        what = f"{visible(held[0])} and {len(held) - 1} more" if len(held) > 1 else visible(held[0])
        raise OutError(f"{where} holds something else than a grading ({what}); choose a folder that is empty or new")
    if resume and not held:
        raise OutError(f"there is no earlier grading in {where} to resume; leave --resume out")


@contextlib.contextmanager
def opened(out: Path, seed: str, kit: str, *, isolated: bool) -> Iterator[None]:
    """Make the folder ready, and hold it for this grading alone. Raises `OutError`."""
    where = visible(str(out), 400)
    try:
        (out / RESULTS).mkdir(parents=True, exist_ok=True)
        handle = os.open(out, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise OutError(f"cannot write to {where}: {error.strerror or error}") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise OutError(f"another grading writes to {where} now; wait for it, or choose another folder") from error
        for left in (out / RESULTS).glob(".*.part"):
            left.unlink()
        told = {"what": _WHAT, "kit": kit, "seed": seed, "isolated": isolated}
        write(out / MARK, json.dumps(told, sort_keys=True, indent=1) + "\n")
        yield
    finally:
        os.close(handle)


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all: it has its name only when it is on the disk. Raises `OutError`."""
    try:
        results.write(path, text, durable=True)
    except results.FolderError as error:
        raise OutError(str(error)) from error


def stands(path: Path, student: str, content: str, kit: str, seed: str, *, isolated: bool) -> Graded | None:
    """The result in a file, where it is of the same submission, graded in the same way and to the end; else None."""
    try:
        graded = from_json(path.read_text("utf-8"))
    except (OSError, ResultError, UnicodeDecodeError):
        return None
    same = (graded.student, graded.content, graded.kit, graded.seed, graded.isolated)
    if same != (student, content, kit, seed, isolated):
        return None
    return None if any(verdict.status is Status.UNGRADED for verdict in graded.verdicts) else graded


def set_aside(out: Path, students: Iterable[str]) -> int:
    """Move away the results of nobody of these students, and remove what was made of them; answer how many."""
    keep = {f"{naming.safe(student)}.json" for student in students}
    stale = sorted(path for path in (out / RESULTS).iterdir() if path.suffix == ".json" and path.name not in keep)
    for path in stale:
        (out / SET_ASIDE).mkdir(exist_ok=True)
        os.replace(path, out / SET_ASIDE / path.name)
        for made in ("feedback/{}.html", "feedback/{}.json", "gradescope/{}/results.json"):
            (out / made.format(path.stem)).unlink(missing_ok=True)
    return len(stale)


def _is_ours(mark: Path) -> bool:
    try:
        told: Any = json.loads(mark.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(told, dict) and told.get("what") == _WHAT
