"""A notebook run top to bottom in a fresh kernel, and its exercises checked there.

    checked = run(notebook, cell_s=30)       what each exercise earns, and which cells did not end well

Only the sources of the code cells are taken from the notebook: its file, its folder and its kernel's name are left
alone. The kernel is this interpreter's, in an empty folder, on a store of its own. Each exercise is checked where its
check cell stands, with the names as they are there: a later cell may use one of them for something else. A cell that
raises does not stop the later ones, and one that does not end is interrupted. Where a cell ends the kernel, what stands
below it "crashed".

Source: exercises, "Whole notebooks".
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
import tempfile
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionComplete, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode, from_dict

from echomq_lab.checks.exercises import IDS, exercise
from echomq_lab.checks.verdict import Failure, Status, Verdict
from echomq_lab.errors import LabError
from echomq_lab.notebook_file import CodeCell, Notebook
from echomq_lab.wording import visible

#: How long an interrupted cell may take to end, and what a check may take at most, each in seconds.
_GRACE_S, _CHECK_S, _FIRST_S = 10, 10, 60
#: What the shell may bring that is the reader's: a store, an open notebook, a place to draw.
_NOT_FOR_THE_KERNEL = ("ECHOMQ_LAB_URL", "JPY_SESSION_NAME", "MPLBACKEND")

# Sources that run in the kernel. They bind no name: the namespace is the student's.
_HUSH = "__import__('echomq_lab.checks.in_kernel', fromlist=['hush']).hush()"
_TELL = "__import__('echomq_lab.checks.in_kernel', fromlist=['tell']).tell({!r}, {!r})"


class KernelError(LabError, RuntimeError):
    """No kernel could be started."""


class How(StrEnum):
    """How a cell ended that did not end well."""

    RAISED = "raised"
    TIMED_OUT = "timed out"
    ENDED = "ended the kernel"


@dataclass(frozen=True, slots=True)
class Mishap:
    """A cell that did not end well, and that in words."""

    cell: CodeCell
    how: How
    words: str

    def __str__(self) -> str:
        return f"{self.cell} {self.words}"


@dataclass(frozen=True, slots=True)
class Checked:
    """What a run showed: the mishaps in the order of the cells, a verdict for each exercise that has an answer cell."""

    notebook: Notebook
    mishaps: tuple[Mishap, ...]
    verdicts: tuple[Verdict, ...]


def run(notebook: Notebook, *, cell_s: int) -> Checked:
    """Run a notebook in a fresh kernel and check its exercises there; a cell is interrupted after `cell_s` seconds.

    Raises `KernelError` when no kernel starts.
    """
    # Of a cell that was doubled the last one counts, as it does in the kernel.
    answers = {each: cells[-1] for each, cells in notebook.answers(IDS).items()}
    cells = notebook.code()
    mishaps, verdicts = _run(cells, _places(cells, answers), cell_s)
    fatal = next((each for each in mishaps if each.how is How.ENDED), None)
    by_cell = {mishap.cell.number: mishap for mishap in mishaps}
    told = {
        each: _with(verdicts[each], by_cell.get(cell.number)) if each in verdicts else _crashed(each, fatal)
        for each, cell in answers.items()
    }
    tags = frozenset().union(*(cell.tags for cell in cells))
    told |= {each: _missing(each) for each in IDS if each in tags and each not in answers}
    return Checked(notebook, tuple(mishaps), tuple(told[each] for each in IDS if each in told))


def _places(cells: list[CodeCell], answers: dict[str, CodeCell]) -> dict[int, list[str]]:
    """After which cells, by number, which exercises are checked: at the check cell if there is one below the answer."""
    places: dict[int, list[str]] = {}
    for each, answer in answers.items():
        checks = [cell.number for cell in cells if {"check", each} <= cell.tags and cell.number > answer.number]
        places.setdefault(max(checks, default=answer.number), []).append(each)
    return places


def _run(cells: list[CodeCell], places: dict[int, list[str]], cell_s: int) -> tuple[list[Mishap], dict[str, Verdict]]:
    """The mishaps, and the verdicts by exercise: fewer when the kernel ended before all were told."""
    with tempfile.TemporaryDirectory(prefix="echomq-check-", ignore_cleanup_errors=True) as folder:
        told = Path(folder, "verdicts")
        kernel = _Kernel(Path(folder))
        tells = {number: _TELL.format(each, str(told)) for number, each in places.items()}
        mishaps = asyncio.run(_through(kernel, cells, tells, cell_s))
        lines = told.read_text("utf-8").splitlines(keepends=True) if told.is_file() else []
        verdicts = [Verdict.from_json(line) for line in lines if line.endswith("\n")]
    return mishaps, {verdict.exercise: verdict for verdict in verdicts}


async def _through(kernel: _Kernel, cells: list[CodeCell], tells: dict[int, str], cell_s: int) -> list[Mishap]:
    mishaps = []
    try:
        await kernel.start()
    except RuntimeError as error:
        raise KernelError(f"the kernel did not start: {error}; `echomq-lab doctor` tells what is missing") from error
    try:
        await kernel.ran(_HUSH, _FIRST_S)
        for cell in cells:
            if mishap := await kernel.mishap(cell, cell_s):
                mishaps.append(mishap)
                if mishap.how is How.ENDED:
                    return mishaps
            if cell.number in tells:
                await kernel.ran(tells[cell.number], _FIRST_S + _CHECK_S * len(IDS))
    except (CellTimeoutError, DeadKernelError):
        # What was told before stands.
        pass
    finally:
        await kernel.stop()
    return mishaps


class _Kernel(NotebookClient):
    """A kernel of this interpreter's in a folder; what it shows is dropped, how each cell ended is heard."""

    def __init__(self, folder: Path) -> None:
        quiet = logging.getLogger(__name__)
        quiet.addHandler(logging.NullHandler())
        quiet.propagate = False
        super().__init__(
            _node({"cells": [], "metadata": {}}),
            timeout_func=lambda cell: cell.metadata["limit_s"],
            allow_errors=True,
            # A late cell is interrupted; one that does not end then either raises `CellTimeoutError`.
            interrupt_on_timeout=True,
            error_on_timeout={"ename": How.TIMED_OUT, "evalue": ""},
            iopub_timeout=_GRACE_S,
            raise_on_iopub_timeout=True,
            on_cell_executed=self._hear,
            log=quiet,
        )
        self._folder, self._heard = folder, dict[str, Any]()

    async def start(self) -> None:
        environ = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_THE_KERNEL}
        # IPython reads no profile of the reader's, and adds no packages of another environment that the shell has.
        environ |= {"IPYTHONDIR": str(self._folder / "ipython"), "VIRTUAL_ENV": sys.prefix}
        work = self._folder / "work"
        work.mkdir()
        # Without folders to look in, the kernel "python3" is the interpreter's own.
        specs = KernelSpecManager(kernel_dirs=[])
        file = str(self._folder / "kernel.json")
        self.km = AsyncKernelManager(kernel_spec_manager=specs, connection_file=file, log=self.log)
        await self.async_start_new_kernel(env=environ, cwd=str(work), stdout=DEVNULL, stderr=DEVNULL)
        await self.async_start_new_kernel_client()

    async def stop(self) -> None:
        self.shutdown_kernel = "immediate"
        if self.km is not None:
            await self._async_cleanup_kernel()

    async def mishap(self, cell: CodeCell, limit_s: int) -> Mishap | None:
        """Run a cell, and say how it ended if it did not end well."""
        late = f"did not end within {limit_s} second{'' if limit_s == 1 else 's'}"
        try:
            reply = await self.ran(cell.source, limit_s)
        except CellTimeoutError:
            return Mishap(cell, How.ENDED, f"{late} and could not be interrupted, so the kernel was ended")
        except DeadKernelError:
            return Mishap(cell, How.ENDED, "ended the kernel")
        if reply.get("ename") == How.TIMED_OUT:
            return Mishap(cell, How.TIMED_OUT, f"{late} and was interrupted")
        if any(each.get("source") == "ask_exit" for each in reply.get("payload", [])):
            return Mishap(cell, How.ENDED, "ended the kernel by exit or quit")
        if reply.get("status") == "error":
            return Mishap(cell, How.RAISED, _raised(reply["ename"], reply["evalue"]))
        return None

    async def ran(self, source: str, limit_s: int) -> dict[str, Any]:
        """Run code and answer the kernel's reply. Raises `CellTimeoutError` when it cannot be interrupted, or
        `DeadKernelError`.
        """
        self._heard = {}
        cell = _node({"cell_type": "code", "metadata": {"limit_s": limit_s}, "source": source})
        self.nb.cells = [cell]
        try:
            await self.async_execute_cell(cell, 0)
        except DeadKernelError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                # It was Ctrl-C: nbclient takes any cancellation for a dead kernel.
                raise asyncio.CancelledError from None
            raise
        return self._heard

    def process_message(self, msg: dict[str, Any], cell: NotebookNode, cell_index: int) -> None:
        """Drop what a cell shows; notice when all of it has come."""
        if msg["msg_type"] == "status" and msg["content"]["execution_state"] == "idle":
            raise CellExecutionComplete

    def _hear(self, *, execute_reply: dict[str, Any], **_: object) -> None:
        self._heard = execute_reply["content"]


def _node(content: dict[str, Any]) -> NotebookNode:
    """Content as nbclient takes it."""
    node: NotebookNode = from_dict(content)  # type: ignore[no-untyped-call]
    return node


def _raised(name: str, words: str) -> str:
    if name == "StdinNotImplementedError":
        return "asked for input(), which nobody can answer here"
    # A cell's file has no name that means something.
    told = re.sub(r"\(\d+\.py, line (\d+)\)$", r"(line \1)", words)
    return f"raised {visible(': '.join(filter(None, (name, told))))}"


def _with(verdict: Verdict, mishap: Mishap | None) -> Verdict:
    """A verdict that tells what befell the answer cell: as the reason where nothing was answered, else as a note."""
    if mishap is None:
        return verdict
    if verdict.status is not Status.NOT_ANSWERED:
        return replace(verdict, note=_its_cell(mishap))
    status = Status.TIMED_OUT if mishap.how is How.TIMED_OUT else Status.WRONG
    step = "Run the answer cell by itself in a fresh kernel, and mend what it says."
    failure = Failure("present", str(mishap.how), _its_cell(mishap), "", "", "", step)
    return replace(verdict, status=status, failure=failure)


def _its_cell(mishap: Mishap) -> str:
    return f"The answer cell, {mishap.cell}, {mishap.words}."


def _missing(exercise_id: str) -> Verdict:
    """The verdict where the notebook has other cells of an exercise, and none to answer it in."""
    asked = exercise(exercise_id)
    tests = tuple((test.id, test.points, False) for test in asked.tests)
    says = f"The answer cell of {exercise_id} is missing: none is tagged answer and {exercise_id}."
    step = "`echomq-lab reset` with the notebook's number brings a fresh copy and keeps yours."
    return Verdict(asked.id, asked.title, Status.NOT_ANSWERED, tests, Failure("present", None, says, "", "", "", step))


def _crashed(exercise_id: str, fatal: Mishap | None) -> Verdict:
    """The verdict where the kernel ended before there was one."""
    asked = exercise(exercise_id)
    if fatal:
        says = f"This answer was not tried: {fatal}."
        step = "Mend that cell (an exit, a loop, too much memory), then check again."
    else:
        says = "No verdict came: the kernel ended, or was kept busy, while the answers were checked."
        step = "Look for what goes on after its cell has ended: a thread, a timer, a signal."
    tests = tuple((test.id, test.points, False) for test in asked.tests)
    failure = Failure("present", str(How.ENDED), says, "", "", "", step)
    return Verdict(asked.id, asked.title, Status.CRASHED, tests, failure)
