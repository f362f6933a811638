"""How far a grading is: a bar with the current students and the time left, or a line for each submission.

Source: grading, "a progress bar with the current student and time left".
"""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from echomq_lab.wording import visible

_MOST_OF_A_NAME = 40


class Progressing:
    """Tells of `count` submissions as they are done: a bar on a terminal, plain lines elsewhere."""

    def __init__(self, count: int, console: Console) -> None:
        self._count, self._console, self._done = count, console, 0
        self._bar: Progress | None = None
        if console.is_terminal:
            words = TextColumn("{task.description}", markup=False)
            columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(compact=True), words)
            self._bar = Progress(*columns, console=console, transient=True)
            self._task = self._bar.add_task("", total=count)

    def __enter__(self) -> Progressing:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def busy_with(self, students: list[str]) -> None:
        """Tell whose submissions are being graded."""
        if self._bar:
            names = ", ".join(visible(student, _MOST_OF_A_NAME) for student in students)
            self._bar.update(self._task, description=names)

    def done(self, student: str, words: str) -> None:
        """Tell that a submission is done, and how it came out."""
        self._done += 1
        if self._bar:
            self._bar.advance(self._task)
        else:
            told = f"{self._done} of {self._count}  {visible(student, _MOST_OF_A_NAME)}: {words}"
            self._console.print(told, markup=False, highlight=False, soft_wrap=True)
