"""A notebook as a file: its cells as data, its answer cells by exercise, and its bytes without what a run left.

An answer cell carries the tag `answer` and the exercise's id. Nothing here runs a cell, and nothing is written.

Source: exercises, "The frame".
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echomq_lab.errors import LabError
from echomq_lab.wording import visible

_FORMAT = 4
_MOST_OF_A_PATH = 4_096
#: What a front end notes of a run in a cell's metadata.
_OF_A_RUN = ("ExecuteTime", "collapsed", "execution", "scrolled")


class NotebookError(LabError, ValueError):
    """A file that is no notebook of the lab's format."""


@dataclass(frozen=True, slots=True)
class CodeCell:
    """A code cell: its place among all cells, from 1, its id ("" where it has none), its source, its tags."""

    number: int
    id: str
    source: str
    tags: frozenset[str]

    def __str__(self) -> str:
        return f"cell {self.number}" + (f" ({visible(self.id, 64)})" if self.id else "")


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook that was read: where from, and its JSON."""

    path: Path
    content: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the file, on one line."""
        return visible(self.path.name, _MOST_OF_A_PATH)

    def code(self) -> list[CodeCell]:
        """Its code cells, from top to bottom."""
        return [
            CodeCell(number, str(cell.get("id", "")), "".join(cell["source"]), frozenset(_tags(cell)))
            for number, cell in enumerate(self.content["cells"], 1)
            if cell["cell_type"] == "code"
        ]

    def answers(self, exercises: Iterable[str]) -> dict[str, list[CodeCell]]:
        """Its answer cells for each of these exercises that it has one for; more than one where a cell was doubled."""
        answers = [cell for cell in self.code() if "answer" in cell.tags]
        found = {each: [cell for cell in answers if each in cell.tags] for each in exercises}
        return {each: cells for each, cells in found.items() if cells}

    def stripped(self) -> bytes:
        """The notebook without outputs, counts, timings and widgets' states."""
        content = copy.deepcopy(self.content)
        content.get("metadata", {}).pop("widgets", None)
        for cell in content["cells"]:
            cell["source"] = "".join(cell["source"]).splitlines(keepends=True)
            if cell["cell_type"] == "code":
                cell.update(outputs=[], execution_count=None)
            for key in _OF_A_RUN:
                cell.get("metadata", {}).pop(key, None)
        return written(content, sort_keys=True)

    def with_sources(self, sources: dict[str, str]) -> bytes:
        """The notebook with other sources in the cells of these ids, and all else as it is."""
        content = copy.deepcopy(self.content)
        for cell in content["cells"]:
            if cell.get("id") in sources:
                cell["source"] = sources[cell["id"]].splitlines(keepends=True)
        return written(content)


def read(path: Path) -> Notebook:
    """Read a notebook. Raises `NotebookError`, in one line, for what is missing, no notebook, or of another format."""
    where = visible(str(path), _MOST_OF_A_PATH)
    if not path.is_file():
        raise NotebookError(f"{where} is no file" if path.exists() else f"there is no file {where}")
    try:
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise NotebookError(f"{where} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise NotebookError(f"{where} is no notebook: it is not UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        raise NotebookError(f"{where} is no notebook: it is not JSON ({_first_line(error)})") from error
    if fault := _fault(content):
        raise NotebookError(f"{where} {fault}")
    return Notebook(path, content)


def written(content: dict[str, Any], *, sort_keys: bool = False) -> bytes:
    """A notebook's JSON as the notebooks here are written."""
    return (json.dumps(content, indent=1, ensure_ascii=False, sort_keys=sort_keys) + "\n").encode()


def _fault(content: Any) -> str:
    """Why this JSON is no notebook of the format, or nothing."""
    if not isinstance(content, dict) or not isinstance(content.get("nbformat"), int):
        return "is no notebook: it names no notebook format"
    if content["nbformat"] != _FORMAT:
        told = f"is of notebook format {content['nbformat']}, not {_FORMAT}"
        return f"{told}; open it in JupyterLab and save it, which writes format {_FORMAT}"
    cells = content.get("cells")
    if not isinstance(cells, list) or not isinstance(content.get("metadata", {}), dict):
        return "is no notebook: it has no list of cells"
    for number, cell in enumerate(cells, 1):
        if not _is_cell(cell):
            return f"is no notebook: its cell {number} is no cell"
        try:
            "".join(cell["source"]).encode()
        except UnicodeEncodeError:
            return f"cannot be run or handed in: its cell {number} holds half a character (a lone surrogate)"
    return ""


def _is_cell(cell: Any) -> bool:
    if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
        return False
    source, metadata = cell.get("source"), cell.get("metadata", {})
    lines = source if isinstance(source, list) else [source]
    return isinstance(metadata, dict) and all(isinstance(line, str) for line in lines)


def _tags(cell: dict[str, Any]) -> list[str]:
    tags = cell.get("metadata", {}).get("tags", [])
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0] or type(error).__name__
