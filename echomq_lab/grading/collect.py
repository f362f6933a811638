"""A class is a folder: whose its children are, and what a submission holds. Nothing is opened to list them.

    the_class = listing(folder, roster)        students in order, the children of each
    handed = read(folder, submission)          its notebooks as cells, what is wrong in words, a hash of all that counts

Links are not followed, zip files are not unpacked to a disk, and nothing of a size without bounds is read.

Source: grading, "Work on a class", "Cells are matched by id".
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from echomq_lab.errors import LabError
from echomq_lab.grading import archive, naming, notebook
from echomq_lab.grading import roster as rosters
from echomq_lab.wording import visible

#: How many notebooks of one submission are read, how many entries and levels of its folder.
MOST_NOTEBOOKS, MOST_ENTRIES, _DEEPEST = 20, 500, 4
#: What systems leave in a folder.
_NOT_HANDED_IN = ("thumbs.db", "desktop.ini")


class ClassError(LabError, OSError):
    """A folder that is no class."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What one student handed in: the names of the children of the class's folder, and what they tell."""

    student: str
    children: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the submission is called: the names of its children."""
        return ", ".join(self.children)


@dataclass(frozen=True, slots=True)
class Listed:
    """The class: its submissions in the order of the students' names, and what is to be told of the folder."""

    submissions: tuple[Submission, ...]
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A notebook of a submission: its name, its own name without a course system's addition, its cells."""

    name: str
    file: str
    cells: tuple[notebook.Cell, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class Handed:
    """What a submission holds; `content` is the hash of everything that its result can depend on."""

    found: tuple[Found, ...]
    remarks: tuple[str, ...]
    content: str


def listing(folder: Path, roster: rosters.Roster | None = None, leave: Iterable[Path] = ()) -> Listed:
    """The submissions of a class. `leave` names files in the folder that are the instructor's.

    Raises `ClassError` for what is no folder or holds nothing, `RosterError` for a child of two students.
    """
    where = visible(str(folder), 400)
    try:
        ours = {path.name for path in leave if path.parent.resolve() == folder.resolve()}
        names = sorted(name for name in os.listdir(folder) if not _aside(name) and name not in ours)
    except OSError as error:
        raise ClassError(f"cannot read the class's folder {where}: {error.strerror or error}") from error
    if not names:
        raise ClassError(f"there is nothing to grade in {where}; each child of the folder is one student")
    told = list(roster.told) + roster.unused(names) if roster else []
    by_student: dict[str, list[naming.Name]] = {}
    children: dict[str, list[str]] = {}
    for child in names:
        name = naming.told(child)
        student = name.student
        if roster and (known := roster.student_of(child)) is not None:
            student = known
        elif roster:
            told.append(f"roster: no row is for {visible(child)}: graded as {visible(student)}")
        by_student.setdefault(student, []).append(name)
        children.setdefault(student, []).append(child)
    submissions = [_submission(student, children[student], by_student[student]) for student in sorted(children)]
    return Listed(tuple(submissions), tuple(told))


def _submission(student: str, children: list[str], names: list[naming.Name]) -> Submission:
    remarks = []
    if any(name.late for name in names):
        remarks.append("handed in late, by the name that the course system gave it")
    last = max((name.when for name in names), default="")
    if earlier := [child for child, name in zip(children, names, strict=True) if name.when and name.when != last]:
        remarks += [f"{visible(child)}: an earlier submission, not graded" for child in earlier]
    return Submission(student, tuple(child for child in children if child not in earlier), tuple(remarks))


def read(folder: Path, submission: Submission) -> Handed:
    """What a submission holds. Whatever is wrong with it is told in the remarks; nothing is raised for it."""
    found: list[Found] = []
    remarks, hashes = list(submission.remarks), []
    for name, file, data, fault in _notebooks(folder, submission.children):
        if len(found) >= MOST_NOTEBOOKS:
            remarks.append(f"more than {MOST_NOTEBOOKS} notebooks were handed in: the rest was not read")
            break
        if data is None:
            remarks.append(f"{name}: {fault}")
            continue
        parsed = notebook.read(data)
        remarks += [f"{name}: {remark}" for remark in parsed.remarks]
        digest = hashlib.sha256(data).hexdigest()
        hashes.append((name, digest))
        if parsed.cells is not None:
            found.append(Found(name, file, parsed.cells, digest))
    if not found:
        remarks.append("no notebook could be read")
    whole = json.dumps([submission.student, submission.children, hashes, remarks]).encode()
    return Handed(tuple(found), tuple(remarks), hashlib.sha256(whole).hexdigest())


def _aside(name: str) -> bool:
    return archive.is_aside((name,)) or name.lower() in _NOT_HANDED_IN


def _notebooks(folder: Path, children: Iterable[str]) -> Iterator[tuple[str, str, bytes | None, str]]:
    """Each notebook: how it is called, its own name, its bytes or what is wrong with it."""
    for child in children:
        path, shown, own = folder / child, visible(child), naming.told(child).file
        try:
            mode = path.lstat().st_mode
        except OSError as error:
            yield shown, own, None, f"cannot be read: {error.strerror}"
            continue
        if stat.S_ISDIR(mode):
            yield from _in_folder(path, shown)
        else:
            yield from _in_file(path, shown, own, alone=True)


def _in_folder(top: Path, shown: str) -> Iterator[tuple[str, str, bytes | None, str]]:
    """The notebooks of a folder and of the folders in it, in the order of their names."""
    left, folders = MOST_ENTRIES, [(top, "")]
    while folders:
        path, below = folders.pop(0)
        try:
            names = sorted(name for name in os.listdir(path) if not _aside(name))
        except OSError as error:
            yield f"{shown}/{visible(below)}", "", None, f"cannot be read: {error.strerror}"
            continue
        if len(names) > left:
            yield shown, "", None, f"has more than {MOST_ENTRIES} files: the rest was not looked at"
        for name in names[:left]:
            here, inner = path / name, f"{below}{name}"
            if here.is_dir() and not here.is_symlink():
                if inner.count("/") < _DEEPEST:
                    folders.append((here, f"{inner}/"))
                else:
                    yield f"{shown}/{visible(inner)}", "", None, "is too deep in folders: not looked at"
            else:
                yield from _in_file(here, f"{shown}/{visible(inner)}", name, alone=False)
        left = max(left - len(names), 0)


def _in_file(path: Path, shown: str, own: str, *, alone: bool) -> Iterator[tuple[str, str, bytes | None, str]]:
    """A notebook, or those of a zip file. Of other files only one that stands for a whole submission is told."""
    ending = path.suffix.lower()
    if path.is_symlink():
        yield shown, own, None, "is a symbolic link: not followed"
    elif ending == ".zip":
        try:
            with _opened(path) as file:
                for name, data, fault in archive.notebooks(file):
                    yield f"{shown}/{name}" if name else shown, name.rpartition("/")[2] or own, data, fault
        except OSError as error:
            yield shown, own, None, f"cannot be read: {error.strerror or error}"
    elif ending == ".ipynb":
        try:
            with _opened(path) as file:
                size = os.fstat(file.fileno()).st_size
                data = file.read(notebook.MOST_BYTES + 1)
        except OSError as error:
            yield shown, own, None, f"cannot be read: {error.strerror or error}"
            return
        if len(data) > notebook.MOST_BYTES:
            yield shown, own, None, notebook.too_big(max(size, len(data)))
        else:
            yield shown, own, data, ""
    elif alone or ending in archive.ARCHIVES:
        yield shown, own, None, "is no notebook, no zip file and no folder: not read"


def _opened(path: Path) -> BinaryIO:
    """A plain file, opened; no link, and nothing that could block. Raises `OSError`."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(0, "it is no plain file")
    return os.fdopen(handle, "rb")
