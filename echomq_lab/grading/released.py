"""The notebooks as they were handed out: what a student's is laid beside.

Source: grading, "Cells are matched by id against the released notebook"; exercises, "the frame".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from echomq_lab import workdir
from echomq_lab.checks.exercises import IDS
from echomq_lab.errors import LabError
from echomq_lab.grading.notebook import Cell, read

DIVES = tuple(sorted({int(each[0]) for each in IDS}))
#: What cells are for, as their tags say.
ROLES = ("answer", "check", "predict", "setup")


class ReleasedError(LabError, OSError):
    """A notebook that was handed out is not there to compare with."""


@dataclass(frozen=True, slots=True)
class Released:
    """A notebook as it was handed out: its dive, its file's name, its cells."""

    dive: int
    name: str
    cells: tuple[Cell, ...]

    @property
    def slug(self) -> str:
        """The words of the file's name."""
        return Path(self.name).stem.partition("-")[2]

    def cell_of(self, role: str, exercise: str) -> Cell | None:
        """The cell that plays a role in an exercise ("" for none)."""
        return next((cell for cell in self.cells if role_of(cell) == (role, exercise)), None)


def role_of(cell: Cell) -> tuple[str, str]:
    """What a cell is for by its tags, and of which exercise; "" where they do not say."""
    exercise = next((each for each in IDS if each in cell.tags), "")
    return next((role for role in ROLES if role in cell.tags), ""), exercise


@cache
def released(dive: int) -> Released:
    """The notebook of a dive. Raises `ReleasedError`."""
    path = path_of(dive)
    cells = read(path.read_bytes()).cells
    if cells is None:
        raise ReleasedError(f"{path.name} is no notebook as it was handed out; grade in a fresh clone of the lab")
    return Released(dive, path.name, cells)


def path_of(dive: int) -> Path:
    """The file of the notebook of a dive. Raises `ReleasedError`."""
    found = sorted(path for path in workdir.NOTEBOOKS.glob("*.ipynb") if re.match(rf"0*{dive}-", path.name))
    if not found:
        raise ReleasedError(f"the notebook of dive {dive} is not in {workdir.NOTEBOOKS}; grade in a clone of the lab")
    return found[0]
