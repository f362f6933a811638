"""Whether the answer cell in the notebook's file is the one that ran: what is handed in is the file.

Where the front end tells the kernel which notebook is open, a check says when the two differ; elsewhere it is silent.

Source: exercises, the cell tags; grading, "Cells are matched by id".
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

#: What ran in this kernel, and what the file held when it ran, by cell id, the latest last.
_ran: dict[str, list[tuple[str, str | None]]] = {}


def shell() -> Any:
    """The IPython that this code runs in, or None."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def watch() -> None:
    """Note from now on what each cell runs."""
    if here := shell():
        here.events.register("pre_run_cell", _note)


class _Cell(NamedTuple):
    id: str
    source: str
    tags: frozenset[str]


def note(exercise_id: str, names: dict[str, Any]) -> str:
    """A sentence when the saved answer cell is not what ran last; none otherwise, nor where nobody can tell."""
    cells = _code_cells(names)
    if cells is None:
        return ""
    cell = next((each for each in cells if {"answer", exercise_id} <= each.tags), None)
    if cell is None:
        return f"The saved notebook has no answer cell for {exercise_id}: `echomq-lab reset` brings a fresh copy."
    ran = _ran.get(cell.id, [])
    if not ran or cell.source == ran[-1][0]:
        return ""
    if cell.source == ran[-1][1] or any(cell.source == earlier for earlier, _ in ran):
        return "The saved notebook does not hold the answer that was checked here yet: save it before you hand it in."
    return "The answer cell was changed after it ran: run it again, then check again."


def _note(info: Any) -> None:
    if cell_id := getattr(info, "cell_id", None):
        held = next((cell.source for cell in _code_cells({}) or () if cell.id == cell_id), None)
        _ran.setdefault(cell_id, []).append((info.raw_cell, held))


def _code_cells(names: dict[str, Any]) -> list[_Cell] | None:
    """The code cells in the file of the open notebook; None when nobody tells of one."""
    where = names.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME")
    try:
        cells = json.loads(Path(str(where)).read_text("utf-8"))["cells"]
        return [
            _Cell(cell.get("id", ""), "".join(cell["source"]), frozenset(cell["metadata"].get("tags", ())))
            for cell in cells
            if cell["cell_type"] == "code"
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
