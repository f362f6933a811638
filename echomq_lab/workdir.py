"""The reader's own copies of the notebooks, in `lab-work/`.

    notebooks/   what ships             never written
    lab-work/    what the reader edits  `open_copies` puts what is missing there; `reset` brings one file back

A file that is there is never overwritten: it stays, or moves to a dated name. A copy appears whole or not at all.

Source: architecture, "Rooms": `cli`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from echomq_lab.errors import LabError

#: The clone that this package is installed from; a package installed from a wheel has no notebooks beside it.
PROJECT = Path(__file__).resolve().parent.parent
NOTEBOOKS = PROJECT / "notebooks"
WORK = PROJECT / "lab-work"
HUB = "00-hub.ipynb"

#: A conda environment has the command on its PATH, and no `.venv` to make.
CONDA = (Path(sys.prefix) / "conda-meta").is_dir()

_NO_HARD_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EACCES}


class WorkError(LabError, OSError):
    """The notebooks, or the folder for the copies, cannot be read or written; what was there is as it was."""


def make(goals: str) -> str:
    """A make command as it works from any folder: JupyterLab's terminals start in that of the copies."""
    if not (PROJECT / "Makefile").is_file():
        return f"make {goals} (in a clone of the lab)"
    return f"make -C {shlex.quote(str(PROJECT))} {goals}"


def command(verb: str, *words: str) -> str:
    """The command line that runs `echomq-lab` with this verb from any folder and any shell."""
    if CONDA:
        return shlex.join(["echomq-lab", verb, *words])
    goal = "lab" if verb == "open" else verb
    return make(f"{goal} ARGS={shlex.quote(shlex.join(words))}" if words else goal)


def open_copies(work: Path, notebooks: Path) -> list[str]:
    """Copy each shipped file that `work` lacks; answer a line for each file kept that is not as shipped.

    Raises `WorkError` when there is nothing to copy or nowhere to copy it.
    """
    names = shipped(notebooks)
    lines = []
    with _told(work):
        _folder(work)
        for name in names:
            ours, yours = notebooks / name, work / name
            if not _lies(yours):
                yours.parent.mkdir(parents=True, exist_ok=True)
                with contextlib.suppress(FileExistsError), _beside(yours, ours.read_bytes()) as fresh:
                    _place(fresh, yours)
            elif not _same(ours, yours):
                where = [] if work == WORK else ["--dir", str(work.resolve())]
                again = command("reset", _short(name), *where)
                lines.append(f"kept your {name}; `{again}` brings a fresh copy")
    return lines


def reset(which: str, now: datetime, work: Path, notebooks: Path) -> str:
    """Put a shipped file back, keep the reader's under a dated name, and answer what was done.

    `which` is a notebook's number ("01"), or a file's name with or without ".ipynb". `now` dates the kept copy.
    Raises `WorkError` for a name that did not ship.
    """
    name = _chosen(which, shipped(notebooks))
    ours, yours = notebooks / name, work / name
    with _told(work):
        _folder(work)
        yours.parent.mkdir(parents=True, exist_ok=True)
        there = _lies(yours)
        if there and _same(ours, yours):
            return f"{name} is as shipped: nothing to do"
        # The fresh copy is written first: a full disk is told before anything has moved.
        with _beside(yours, ours.read_bytes()) as fresh:
            kept = _set_aside(yours, now) if there else None
            try:
                _place(fresh, yours)
            except FileExistsError:
                raise WorkError(
                    f"{name} was saved again meanwhile; close it in JupyterLab, then reset it once more"
                ) from None
    if kept is None:
        return f"copied a fresh {name}"
    return f"{name} is fresh again; yours is {kept.name} (reload the notebook if it is open)"


def yours(which: str, work: Path, notebooks: Path) -> Path:
    """The notebook that `which` names: the reader's copy for a number or a name that `reset` takes, else a path.

    Raises `WorkError` for a number or a bare name that did not ship.
    """
    path = Path(which)
    if not re.fullmatch("[0-9]{1,4}", which) and (_lies(path) or len(path.parts) > 1):
        return path
    found = work / _chosen(which, shipped(notebooks))
    if not _lies(found):
        raise WorkError(f"there is no {found.name} in {work}; `{command('open')}` copies it there")
    return found


def write(target: Path, content: bytes, *, replace: bool = False) -> None:
    """Write a file that appears whole or not at all. Raises `FileExistsError` for a name that is taken and stays."""
    with _beside(target, content) as fresh:
        if replace:
            os.replace(fresh, target)
        else:
            _place(fresh, target)


def shipped(notebooks: Path) -> list[str]:
    """The names of the files that ship, relative to `notebooks`, in order. Raises `WorkError` when there is none."""
    names = sorted(
        path.relative_to(notebooks).as_posix()
        for path in notebooks.rglob("*")
        if path.is_file() and not any(part.startswith((".", "__")) for part in path.relative_to(notebooks).parts)
    )
    if not any(name.endswith(".ipynb") for name in names):
        raise WorkError(f"there are no notebooks in {notebooks}; run `make lab` in a clone of the lab")
    return names


def _chosen(which: str, names: list[str]) -> str:
    number = int(which) if re.fullmatch("[0-9]{1,4}", which) else None
    found = [
        name
        for name in names
        if which in (name, name.removesuffix(".ipynb"))
        or (number is not None and (prefix := re.match("[0-9]+(?=-)", name)) and int(prefix[0]) == number)
    ]
    if len(found) == 1:
        return found[0]
    notebooks = ", ".join(name.removesuffix(".ipynb") for name in found or names if name.endswith(".ipynb"))
    problem = f"{which!r} is more than one notebook" if found else f"there is no notebook {which!r}"
    raise WorkError(f"{problem}; choose from {notebooks}")


def _short(name: str) -> str:
    number = re.match("[0-9]+(?=-)", name)
    return number[0] if number else name


def _folder(work: Path) -> None:
    """Make the folder for the copies, and see that it is one."""
    if work.is_symlink():
        raise WorkError(f"{work} is a symbolic link; remove it, or pass --dir with the folder itself")
    if _lies(work) and not work.is_dir():
        raise WorkError(f"{work} is a file; move it away, for the lab keeps your notebooks in a folder of that name")
    work.mkdir(parents=True, exist_ok=True)


@contextlib.contextmanager
def _told(work: Path) -> Iterator[None]:
    """Tell what the operating system refuses in one line."""
    try:
        yield
    except WorkError:
        raise
    except OSError as error:
        what = error.filename if error.filename and not str(error.filename).endswith(".part") else work
        raise WorkError(f"cannot keep your notebooks in {work}: {what}: {error.strerror or error}") from error


def _lies(path: Path) -> bool:
    """Whether anything lies at the path; a link that leads nowhere does."""
    return os.path.lexists(path)


def _same(ours: Path, yours: Path) -> bool:
    try:
        return ours.read_bytes() == yours.read_bytes()
    except OSError:
        return False


@contextlib.contextmanager
def _beside(target: Path, content: bytes) -> Iterator[Path]:
    """A hidden file beside the target that holds the content; it is gone afterwards."""
    handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=target.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
        os.chmod(name, 0o644)
        yield Path(name)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def _place(fresh: Path, target: Path) -> None:
    """Give a whole file its name. Raises `FileExistsError` when the name is taken."""
    try:
        os.link(fresh, target)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        # A drive shared with another system: the name is claimed empty, and the whole file moves over it.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
        os.replace(fresh, target)


def _set_aside(yours: Path, now: datetime) -> Path:
    """Move the reader's file to a dated name that was free, and answer that name."""
    stem, suffix = yours.stem, yours.suffix
    for count in range(1, 10_000):
        kept = yours.with_name(f"{stem}.{now:%Y-%m-%dT%H%M}{f'-{count}' if count > 1 else ''}{suffix}")
        with contextlib.suppress(FileExistsError):
            os.close(os.open(kept, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
            try:
                os.replace(yours, kept)
            except OSError:
                kept.unlink()
                raise
            return kept
    raise WorkError(f"there are too many copies of {yours.name} of this minute; reset it a minute later")
