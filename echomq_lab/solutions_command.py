"""What `echomq-lab solutions` writes: the notebooks with right answers in their answer cells.

The answer to an exercise is the first `tests/answers/<id>/right_*.py` without its docstring. All else in a notebook
stays as it is, so there is one source for prose and stubs.

Source: exercises, "Whole notebooks", "Adding an exercise".
"""

from __future__ import annotations

import argparse
import ast
import os
from pathlib import Path

from echomq_lab import notebook_file, workdir
from echomq_lab.checks.exercises import IDS
from echomq_lab.errors import LabError
from echomq_lab.notebook_file import Notebook
from echomq_lab.wording import visible

#: Where the right answers are: in a clone only.
ANSWERS = workdir.PROJECT / "tests" / "answers"
_MOST_OF_A_PATH = 4_096


class SolutionError(LabError, OSError):
    """No solved notebook was written."""


def answer(options: argparse.Namespace) -> str:
    """Write the solved notebooks to the folder that the options name, and answer what to print.

    A file that is there is replaced with --force only, unless it is the solved notebook already.
    Raises a `LabError` before anything is written.
    """
    files = solved(workdir.NOTEBOOKS, ANSWERS)
    folder: Path = options.folder
    where = visible(str(folder), _MOST_OF_A_PATH)
    try:
        if folder.exists() and os.path.samefile(folder, workdir.NOTEBOOKS):
            raise SolutionError(f"{where} has the notebooks as they ship, and keeps them; choose another folder")
        folder.mkdir(parents=True, exist_ok=True)
        new = [name for name, content in files.items() if not _is(folder / name, content)]
        others = [name for name in new if os.path.lexists(folder / name)]
        if others and not options.force:
            what = f"{', '.join(others)} in {where} {'is' if len(others) == 1 else 'are'} something else"
            raise SolutionError(f"{what}; choose another folder, or replace with --force")
        for name in new:
            workdir.write(folder / name, files[name], replace=options.force)
    except SolutionError:
        raise
    except OSError as error:
        raise SolutionError(f"cannot write to {where}: {error.strerror or error}") from error
    return "\n".join(
        f"{'wrote' if name in new else 'kept'} {visible(str(folder / name), _MOST_OF_A_PATH)}" for name in files
    )


def solved(notebooks: Path, answers: Path) -> dict[str, bytes]:
    """The bytes of each solved notebook, by name. Raises `SolutionError` where there are no answers to put in."""
    if not answers.is_dir():
        raise SolutionError("the right answers are in a clone of the lab only, in tests/answers")
    shipped = [name for name in workdir.shipped(notebooks) if name.endswith(".ipynb")]
    read = {name: notebook_file.read(notebooks / name) for name in shipped}
    files = {name: _solved(notebook, answers) for name, notebook in read.items() if notebook.answers(IDS)}
    if not files:
        raise SolutionError(f"no notebook in {notebooks} has an answer cell")
    return files


def _solved(notebook: Notebook, answers: Path) -> bytes:
    sources = {}
    for exercise, cells in notebook.answers(IDS).items():
        right = min((answers / exercise).glob("right_*.py"), default=None)
        if right is None:
            raise SolutionError(f"there is no right answer to {exercise} in tests/answers/{exercise}")
        if len(cells) > 1:
            raise SolutionError(f"{notebook.name} has {len(cells)} answer cells for {exercise}")
        sources[cells[0].id] = without_docstring(right.read_text("utf-8"))
    return notebook.with_sources(sources)


def without_docstring(code: str) -> str:
    """The code of a module without the docstring, and without blank lines before and after."""
    first = ast.parse(code).body[0]
    lines = code.splitlines()
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        lines = lines[first.end_lineno :]
    return "\n".join(lines).strip("\n")


def _is(path: Path, content: bytes) -> bool:
    return path.is_file() and not path.is_symlink() and path.read_bytes() == content
