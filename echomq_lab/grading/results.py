"""The folder that a run writes: its results, read one at a time, and what is made of them, written whole.

    DIR/results/<submission>.json    a `Graded` each

What is made of one result takes the name of its file, which is safe as a name: a student's is not.

Source: grading, "Work on a class".
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from echomq_lab.errors import LabError
from echomq_lab.grading.graded import Graded, ResultError, from_json
from echomq_lab.wording import visible

_MOST_OF_A_PATH = 4_096


class FolderError(LabError, OSError):
    """A folder without results, or one that cannot be read or written."""


def read(out: Path) -> Iterator[tuple[str, Graded]]:
    """The name of each result of a run and the result, by name. Raises `FolderError` and `ResultError`."""
    for path in _files(out):
        try:
            graded = from_json(path.read_text("utf-8"))
        except (ResultError, UnicodeDecodeError) as error:
            raise ResultError(f"{_told(path)}: {error}; remove it, then grade again with --resume") from None
        except OSError as error:
            raise FolderError(f"cannot read {_told(path)}: {error.strerror or error}") from None
        yield path.stem, graded


def write(path: Path, text: str, *, durable: bool = False) -> None:
    """Write a file whole, in a folder that is made if it is not there. Raises `FolderError`.

    A durable one has its name only when it is on the disk: a loss of power leaves all of it or nothing.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, fresh = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
        try:
            with open(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                if durable:
                    file.flush()
                    os.fsync(handle)
            os.chmod(fresh, 0o644)
            os.replace(fresh, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(fresh)
            raise
        if durable:
            folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    except OSError as error:
        raise FolderError(f"cannot write {_told(path)}: {error.strerror or error}") from None


def _files(out: Path) -> list[Path]:
    """The result files; a hidden one is a result on its way."""
    try:
        names = sorted(each.name for each in os.scandir(out / "results"))
    except OSError:
        names = []
    found = [out / "results" / name for name in names if name.endswith(".json") and not name.startswith(".")]
    if not found:
        raise FolderError(f"there are no results in {_told(out)}; `echomq-lab grade FOLDER --out DIR` makes them")
    return found


def _told(path: Path) -> str:
    return visible(str(path), _MOST_OF_A_PATH)
