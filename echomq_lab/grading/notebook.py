"""The bytes of a notebook as cells. Whatever is wrong with them comes back in words, never as an exception.

Outputs are not looked at. Only ids that stand in the file are kept: those that an upgrade makes up are other ones each
time.

Source: grading, "Cells are matched by id".
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from echomq_lab.wording import visible

#: The most that one notebook may be, in bytes and in cells.
MOST_BYTES, MOST_CELLS = 8 << 20, 1_000
_FORMAT = 4
_KINDS = ("code", "markdown", "raw")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its place, from 1, its kind, its id ("" where the file has none), its tags, its source."""

    number: int
    kind: str
    id: str
    tags: frozenset[str]
    source: str


@dataclass(frozen=True, slots=True)
class Read:
    """What was read: the cells, None where there are none to be had; and what is wrong, in words that follow a name."""

    cells: tuple[Cell, ...] | None
    remarks: tuple[str, ...] = ()


def read(data: bytes) -> Read:
    """The cells of a notebook's bytes."""
    content, fault = _json(data)
    if fault:
        return Read(None, (fault,))
    remarks = []
    number = content["nbformat"]
    if number > _FORMAT:
        return Read(None, (f"is of notebook format {number}; this kit reads {_FORMAT} and older",))
    if number < _FORMAT:
        upgraded = _upgraded(content)
        if upgraded is None:
            return Read(None, (f"is of notebook format {number}, and could not be upgraded to {_FORMAT}",))
        content = upgraded
        remarks.append(f"is of notebook format {number}, and was upgraded to {_FORMAT}")
    raw = content.get("cells")
    if type(raw) is not list:
        return Read(None, ("is no notebook: it has no list of cells",))
    if len(raw) > MOST_CELLS:
        return Read(None, (f"has {len(raw):,} cells; the most is {MOST_CELLS:,}",))
    if fault := _invalid(raw):
        remarks.append(f"is no valid notebook ({fault}): what can be read of it was graded")
    cells = tuple(_cells(raw))
    if not any(cell.kind == "code" for cell in cells):
        remarks.append("has no code cells")
    return Read(cells, tuple(remarks))


def _json(data: bytes) -> tuple[Any, str]:
    """The JSON object of a notebook, or what is wrong with it."""
    if not data.strip():
        return None, "is empty"
    if len(data) > MOST_BYTES:
        return None, too_big(len(data))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None, "is no notebook: it is not UTF-8 text"
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
            return None, "is cut off: its JSON ends in the middle"
        return None, f"is no notebook: it is not JSON (line {error.lineno}: {error.msg})"
    except (ValueError, RecursionError):
        return None, "is no notebook: its JSON holds what no notebook does"
    if type(content) is not dict or type(content.get("nbformat")) is not int:
        return None, "is no notebook: it names no notebook format"
    return content, ""


def too_big(count: int) -> str:
    """What is said of a notebook of so many bytes."""
    return f"is {count / (1 << 20):.1f} MB; the most is {MOST_BYTES >> 20} MB: clear the outputs and hand it in again"


def _upgraded(content: Any) -> Any:
    import nbformat

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            upgraded: Any = nbformat.convert(nbformat.from_dict(content), _FORMAT)  # type: ignore[no-untyped-call]
            for cell in upgraded["cells"]:
                cell.pop("id", None)
    except Exception:
        # It may raise anything on what is no notebook of its format.
        return None
    return upgraded


def _invalid(raw: list[Any]) -> str:
    """What the format's schema says against the cells, outputs and ids left aside; nothing where they are valid."""
    import nbformat

    cells = []
    for number, cell in enumerate(raw, 1):
        if not isinstance(cell, dict):
            return f"its cell {number} is no cell"
        bare = {key: cell[key] for key in ("cell_type", "metadata", "source") if key in cell}
        bare |= {"outputs": [], "execution_count": None} if cell.get("cell_type") == "code" else {}
        cells.append({"id": f"c{number}"} | bare)
    whole = {"nbformat": _FORMAT, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    try:
        nbformat.validate(whole)
    except nbformat.ValidationError as error:
        return visible(str(error.message).split("\n")[0], 120)
    except RecursionError:
        return "it is nested too deep"
    return ""


def _cells(raw: list[Any]) -> Iterator[Cell]:
    for number, cell in enumerate(raw, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") not in _KINDS:
            continue
        source, metadata = cell.get("source"), cell.get("metadata")
        lines: list[Any] = source if isinstance(source, list) else [source]
        if not all(isinstance(line, str) for line in lines):
            continue
        tags = metadata.get("tags") if isinstance(metadata, dict) else None
        told = frozenset(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else frozenset()
        cell_id = cell.get("id")
        name = cell_id if isinstance(cell_id, str) and cell_id == visible(cell_id, 64) else ""
        yield Cell(number, cell["cell_type"], name, told, "".join(lines).replace("\r\n", "\n"))
