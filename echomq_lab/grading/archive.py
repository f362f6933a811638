"""The notebooks in a zip file: counted before they are unpacked, and unpacked in memory, so no name leads anywhere.

Source: grading, "Work on a class"; what a hostile zip may hold: links, names that lead out, bombs, a million members.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO

from echomq_lab.grading.notebook import MOST_BYTES, too_big
from echomq_lab.wording import visible

#: The most that a zip file may be, in bytes and in members.
MOST_OF_A_ZIP, MOST_MEMBERS = 32 << 20, 500
ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
#: The record at the end: its signature, then the members and the bytes of the directory that lists them.
_END, _END_SIZE, _COMMENT = b"PK\x05\x06", 22, 0xFFFF
#: Before it, in zip files of more than 4 GB, stands where another such record is, which would count instead.
_LOCATOR, _LOCATOR_SIZE = b"PK\x06\x07", 20
_MOST_OF_A_NAME = 1_024
_LINK, _KIND = 0o120000, 0o170000
_ENCRYPTED = 0x1
#: What the systems put beside the files, and what no student means to hand in.
_ASIDE = ("__MACOSX", ".ipynb_checkpoints")


def notebooks(file: BinaryIO) -> Iterator[tuple[str, bytes | None, str]]:
    """Each notebook of a zip file by name, with its bytes or what is wrong with it; the name "" is for the whole."""
    if fault := _too_much(file):
        yield "", None, fault
        return
    try:
        with zipfile.ZipFile(file) as archive:
            members = sorted(archive.infolist(), key=lambda member: member.filename)
            if len(members) > MOST_MEMBERS:
                raise ValueError("other members than were told")
            seen: set[str] = set()
            for member in members:
                name = visible(member.filename)
                if fault := _refused(member, seen):
                    yield name, None, fault
                elif is_notebook(member.filename) and not member.is_dir():
                    yield name, *_unpacked(archive, member)
                seen.add(member.filename)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError, struct.error):
        yield "", None, "is no zip file that can be read: damaged, or cut off"


def is_notebook(name: str) -> bool:
    """Whether a file of this name is a notebook that somebody meant to hand in."""
    path = PurePosixPath(name)
    return path.suffix.lower() == ".ipynb" and not is_aside(path.parts)


def is_aside(parts: tuple[str, ...]) -> bool:
    """Whether something lies among what systems put beside the files: hidden ones, checkpoints."""
    return any(part in _ASIDE or (part.startswith(".") and part.strip(".")) for part in parts)


def _too_much(file: BinaryIO) -> str:
    """What is wrong with the size of a zip file or of the list of its members; read before anything of it is."""
    size = file.seek(0, 2)
    if size > MOST_OF_A_ZIP:
        return f"is a zip file of {size / (1 << 20):.1f} MB; the most is {MOST_OF_A_ZIP >> 20} MB"
    file.seek(max(size - _END_SIZE - _COMMENT, 0))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_SIZE:
        return "is no zip file that can be read: damaged, or cut off"
    members, directory = struct.unpack("<HI", tail[at + 10 : at + 16])
    if tail[max(at - _LOCATOR_SIZE, 0) : at].startswith(_LOCATOR):
        return "is a zip file of the kind for more than 4 GB: not opened"
    # The bytes are what is read of it, whatever number of members is told.
    if members > MOST_MEMBERS or directory > MOST_MEMBERS * _MOST_OF_A_NAME:
        return f"is a zip file of {members:,} members; the most is {MOST_MEMBERS}"
    return ""


def _refused(member: zipfile.ZipInfo, seen: set[str]) -> str:
    """Why a member is not looked at; nothing for one that may be."""
    parts = PurePosixPath(member.filename.replace("\\", "/")).parts
    if is_aside(parts) and ".." not in parts:
        return ""
    if member.filename.startswith(("/", "\\")) or ".." in parts or (parts and parts[0].endswith(":")):
        return "has a name that leads out of the zip file: not read"
    if (member.external_attr >> 16) & _KIND == _LINK:
        return "is a symbolic link: not followed"
    if PurePosixPath(member.filename).suffix.lower() in ARCHIVES:
        return "is a zip file in a zip file: not opened"
    if not is_notebook(member.filename):
        return ""
    if member.filename in seen:
        return "is in the zip file twice: the second was not read"
    if member.flag_bits & _ENCRYPTED:
        return "is encrypted: not read"
    # Of the other ways to compress, Python's readers do not say how much a few bytes will become.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is compressed in another way than zip files usually are: not read"
    return too_big(member.file_size) if member.file_size > MOST_BYTES else ""


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[bytes | None, str]:
    """A member's bytes, whatever size it claims to have."""
    try:
        with archive.open(member) as file:
            data = file.read(MOST_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, OSError, EOFError):
        return None, "is damaged in the zip file: not read"
    return (None, too_big(len(data))) if len(data) > MOST_BYTES else (data, "")
