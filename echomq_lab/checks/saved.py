"""Whether the answer cell in the notebook's file is the one that ran: what is handed in is the file.

Where the front end tells the kernel which notebook is open, a check says when the two differ; elsewhere it is silent.

Source: exercises, the cell tags; grading, "Cells are matched by id".
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

#: What ran in this kernel, by cell id, the latest last.
_ran: dict[str, list[str]] = {}


def shell() -> Any:
    """The IPython that this code runs in, or None."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def watch() -> None:
    """Note from now on what each cell runs."""
    if here := shell():
        here.events.register("pre_run_cell", _note)


def note(exercise_id: str, names: dict[str, Any]) -> str:
    """A sentence when the saved answer cell is not what ran last; none otherwise, nor where nobody can tell."""
    cell = _saved_cell(exercise_id, names)
    if cell is None:
        return ""
    ran = _ran.get(cell.get("id", ""))
    if cell == {}:
        return (
            f"The saved notebook has no answer cell for {exercise_id} any more: `echomq-lab reset` brings a fresh copy."
        )
    if not ran or (source := "".join(cell["source"])) == ran[-1]:
        return ""
    if source in ran:
        return (
            "The saved notebook still holds an earlier answer than the one checked here: save it before you hand it in."
        )
    return "The answer cell was changed after it ran: run it again, then check again."


def _note(info: Any) -> None:
    if cell_id := getattr(info, "cell_id", None):
        _ran.setdefault(cell_id, []).append(info.raw_cell)


def _saved_cell(exercise_id: str, names: dict[str, Any]) -> dict[str, Any] | None:
    """The answer cell in the file of the open notebook; empty when it has none, None when there is no such file."""
    where = names.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME")
    try:
        cells = json.loads(Path(str(where)).read_text("utf-8"))["cells"]
        return next((cell for cell in cells if {"answer", exercise_id} <= set(cell["metadata"].get("tags", []))), {})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
