"""The roster: which file of a class is whose.

    student,file                     a child of the folder by name, with or without .ipynb or .zip, or what its student
    Jane Doe,doejane_12345           would be called without a roster
    student,pattern                  every child whose name fits: * any text, ? one character, [ab] one of these
    Joe Bloggs,bloggs*

Both columns may stand side by side; other columns are left alone. A row that names a file goes before one that has a
pattern. A child of two students is refused; a row that says what an earlier one said, a row without a file, a file
without a row, are told, and the latter is graded under its own name.

Source: grading, "Work on a class".
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from echomq_lab.errors import LabError
from echomq_lab.grading import naming
from echomq_lab.wording import visible

_MOST_BYTES = 8 << 20


class RosterError(LabError, ValueError):
    """A roster that does not tell whose the files are."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the roster; `number` is its line in the file."""

    number: int
    student: str
    file: str
    pattern: str

    def fits(self, child: str) -> bool:
        """Whether the pattern fits the name of a child."""
        return bool(self.pattern) and fnmatchcase(child, self.pattern)

    def names(self, child: str) -> bool:
        """Whether the row names a child."""
        return bool(self.file) and self.file in (child, naming.without_suffix(child), naming.told(child).student)


@dataclass(slots=True)
class Roster:
    """The rows, and what is to be told of them."""

    rows: list[Row] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def student_of(self, child: str) -> str | None:
        """Whose a child of the folder is; None where no row says. Raises `RosterError` for two answers."""
        found = [row for row in self.rows if row.names(child)] or [row for row in self.rows if row.fits(child)]
        students = {row.student: row for row in found}
        if len(students) > 1:
            first, second = list(students.values())[:2]
            raise RosterError(
                f"roster: {visible(child)} is of {visible(first.student)} by row {first.number} and of "
                f"{visible(second.student)} by row {second.number}; say in `file` whose it is"
            )
        return next(iter(students), None)

    def unused(self, children: Iterable[str]) -> list[str]:
        """A line for each row that no child answers to."""
        there = list(children)
        return [
            f"roster: row {row.number}: nothing of {visible(row.student)} is there ({visible(row.file or row.pattern)})"
            for row in self.rows
            if not any(row.names(child) or row.fits(child) for child in there)
        ]


def read(path: Path) -> Roster:
    """The roster of a CSV file. Raises `RosterError`."""
    where = visible(str(path), 400)
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise RosterError(f"roster {where} is of more than {_MOST_BYTES >> 20} MB; pass the list of one class")
        lines = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        head = [name.strip().lower() for name in next(lines, [])]
        if "student" not in head or not {"file", "pattern"} & set(head):
            raise RosterError(f"roster {where}: its first row must name the columns student and file (or pattern)")
        roster = Roster()
        for cells in lines:
            if any(cell.strip() for cell in cells):
                _add(roster, lines.line_num, dict(zip(head, map(str.strip, cells), strict=False)))
    except OSError as error:
        raise RosterError(f"roster {where} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RosterError(f"roster {where} is not UTF-8 text; save it as CSV UTF-8") from error
    except csv.Error as error:
        raise RosterError(f"roster {where} is no CSV: {error}") from error
    return roster


def _add(roster: Roster, number: int, cells: dict[str, str]) -> None:
    row = Row(number, cells.get("student", ""), cells.get("file", ""), cells.get("pattern", ""))
    if not row.student or not (row.file or row.pattern):
        raise RosterError(f"roster: row {number} needs a student and a file (or a pattern): {visible(str(cells))}")
    same = next((each for each in roster.rows if (each.file, each.pattern) == (row.file, row.pattern)), None)
    if same is None:
        roster.rows.append(row)
    elif same.student == row.student:
        roster.told.append(f"roster: row {number} says what row {same.number} said")
    else:
        raise RosterError(
            f"roster: row {number} gives {visible(row.file or row.pattern)} to {visible(row.student)}, and row "
            f"{same.number} to {visible(same.student)}; keep one of them"
        )
