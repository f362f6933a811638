"""Whose a file is, by the name that a course system gave it; and a file's name for each student.

    doejane_LATE_12345_6789_01-cron-vs-interval.ipynb   Canvas: doejane_12345
    Jane Doe_123456_assignsubmission_file_              Moodle: Jane Doe_123456
    jdoe+ps1+2026-01-05 10:00:00.123456 UTC             nbgrader's exchange: jdoe, of its submissions the last
    anything else                                       the name, without .ipynb or .zip

Source: grading, "Work on a class".
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import PurePath

_CANVAS = re.compile(r"(?P<login>.+?)_(?P<late>LATE_)?(?P<id>\d+)_\d+_(?P<file>.+)", re.DOTALL)
_MOODLE = re.compile(r"(?P<who>.+_\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?", re.DOTALL)
_EXCHANGE = re.compile(r"(?P<login>[^+]+)\+[^+]+\+(?P<when>\d{4}-\d\d-\d\d[ T]\d.*)", re.DOTALL)
_SAFE = re.compile(r"[a-z0-9_.@+-]{1,80}")
#: What some system keeps for itself as a file's name.
_RESERVED = re.compile(r"\.|(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


@dataclass(frozen=True, slots=True)
class Name:
    """What a child's name tells: the student, the file's own name, whether late, when (the exchange's, else "")."""

    student: str
    file: str
    late: bool = False
    when: str = ""


def told(child: str) -> Name:
    """What the name of a child of the class's folder tells."""
    if found := _MOODLE.fullmatch(child):
        return Name(found["who"], found["file"] or child)
    if found := _CANVAS.fullmatch(child):
        return Name(f"{found['login']}_{found['id']}", found["file"], late=found["late"] is not None)
    if found := _EXCHANGE.fullmatch(child):
        return Name(found["login"], child, when=found["when"])
    return Name(without_suffix(child), child)


def without_suffix(child: str) -> str:
    """A name without the ending of a notebook or a zip file."""
    path = PurePath(child)
    return path.stem if path.suffix.lower() in (".ipynb", ".zip") else child


def safe(student: str) -> str:
    """A file's name for a student, without an ending: another one for each student, on every file system."""
    if _SAFE.fullmatch(student) and not _RESERVED.match(student):
        return student
    slug = re.sub(r"[^A-Za-z0-9_.@+-]+", "_", student).strip("._")[:80]
    return f"{slug or 'student'}-{hashlib.sha256(student.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"
