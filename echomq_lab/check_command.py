"""What `echomq-lab check` prints: a notebook run in a fresh kernel, and what its answers earn.

Source: exercises, "Whole notebooks", "What a check is".
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import echomq_lab
from echomq_lab import notebook_file, workdir
from echomq_lab.checks.exercises import IDS
from echomq_lab.checks.fresh_run import Checked, run
from echomq_lab.checks.verdict import Status, summary
from echomq_lab.errors import LabError
from echomq_lab.notebook_file import Notebook


class CheckError(LabError, ValueError):
    """Notebooks that cannot be checked, or not together."""


def answer(options: argparse.Namespace) -> tuple[str, bool]:
    """Check the notebooks that the options name; answer what to print, and whether every exercise has all its points.

    Raises a `LabError` before anything runs when one of them cannot be checked.
    """
    notebooks = [_notebook(name, options.dir or workdir.WORK) for name in options.notebooks]
    _apart(notebooks)
    checked = []
    for notebook in notebooks:
        if sys.stderr.isatty():
            print(f"running {notebook.name}, {len(notebook.code())} cells", file=sys.stderr)
        checked.append(run(notebook, cell_s=options.timeout))
    right = all(verdict.status is Status.RIGHT for each in checked for verdict in each.verdicts)
    return _json(checked) if options.json else "\n".join(_lines(checked)), right


def _notebook(name: str, work: Path) -> Notebook:
    notebook = notebook_file.read(workdir.yours(name, work, workdir.NOTEBOOKS))
    if not notebook.answers(IDS):
        raise CheckError(f"{notebook.name} has no exercises: no cell is tagged `answer` and, say, `{IDS[0]}`")
    return notebook


def _apart(notebooks: list[Notebook]) -> None:
    """See that no exercise is in two of the notebooks: its points would count twice."""
    seen: dict[str, Notebook] = {}
    for notebook in notebooks:
        for each in notebook.answers(IDS):
            if each in seen:
                raise CheckError(f"{each} is in {seen[each].name} and in {notebook.name}; check them one by one")
            seen[each] = notebook


def _lines(checked: list[Checked]) -> Iterator[str]:
    for each in checked:
        yield from (f"{each.notebook.name}: {words}" for words in _oddities(each))
    verdicts = [verdict for each in checked for verdict in each.verdicts]
    yield _printable(str(summary(verdicts)))
    for verdict in verdicts:
        if verdict.failure or verdict.note:
            yield f"\n{_printable(verdict.to_text())}"


def _oddities(checked: Checked) -> Iterator[str]:
    for each, cells in checked.notebook.answers(IDS).items():
        if len(cells) > 1:
            yield f"{each} has {len(cells)} answer cells; what counts is {cells[-1]}"
    yield from map(str, checked.mishaps)


def _json(checked: list[Checked]) -> str:
    verdicts = [verdict for each in checked for verdict in each.verdicts]
    told = {
        "version": echomq_lab.__version__,
        "public": True,
        "earned": sum(verdict.earned for verdict in verdicts),
        "points": sum(verdict.points for verdict in verdicts),
        "notebooks": [
            {
                "notebook": each.notebook.name,
                "told": list(_oddities(each)),
                "exercises": [json.loads(verdict.to_json()) for verdict in each.verdicts],
            }
            for each in checked
        ],
    }
    return json.dumps(told, sort_keys=True)


def _printable(text: str) -> str:
    """Text in which a student's words cannot steer the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)
