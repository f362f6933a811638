"""The kernel's side of `echomq-lab check`: quiet while the cells run, then a verdict a line into a file.

Into a file and not to the output: what the cells print, or print with, cannot come between. A check that a cell asks
for by itself is put off: each exercise is tried once, after its check cell.

Source: exercises, "Whole notebooks".
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable

from echomq_lab import checks
from echomq_lab.checks import saved
from echomq_lab.checks.exercises import exercise
from echomq_lab.checks.notebook import verdict_on
from echomq_lab.checks.verdict import Failure, Status, Verdict


def hush() -> None:
    """Show nothing of what the cells print, display or answer, since a flood costs memory; put checks off."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    sys.stdout = sys.stderr = _Nowhere()
    shell = saved.shell()
    shell.display_pub.publish = lambda *_, **__: None
    shell.display_formatter.format = lambda *_, **__: ({}, {})
    # A traceback through a client library takes seconds to draw.
    shell.showtraceback = shell.showsyntaxerror = lambda *_, **__: None
    checks.check = _put_off


def tell(exercise_ids: Iterable[str], path: str) -> None:
    """Check each exercise and add its verdict to the file, as one line of JSON."""
    for exercise_id in exercise_ids:
        try:
            verdict = verdict_on(exercise_id, {})
        except Exception as error:
            verdict = ungraded(exercise_id, f"{type(error).__name__}: {error}")
        with open(path, "a", encoding="utf-8") as lines:
            lines.write(verdict.to_json() + "\n")


def ungraded(exercise_id: str, why: str) -> Verdict:
    """The verdict where the check itself does not work."""
    step = "Check again; if it stays so, `echomq-lab doctor` tells what is missing."
    return _untried(exercise_id, f"The check itself went wrong: {why}.", step)


def _put_off(exercise_id: str) -> Verdict:
    return _untried(exercise_id, "Not tried yet.", "Wait until this cell has run.")


def _untried(exercise_id: str, says: str, step: str) -> Verdict:
    asked = exercise(exercise_id)
    tests = tuple((test.id, test.points, False) for test in asked.tests)
    failure = Failure("present", None, says, "", "", "", step)
    return Verdict(asked.id, asked.title, Status.UNGRADED, tests, failure)


class _Nowhere(io.TextIOBase):
    """Where prints go."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        return len(text)

    def writable(self) -> bool:
        return True
