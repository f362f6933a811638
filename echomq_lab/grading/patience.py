"""How long a student is still waited for: a clock that runs while it is the student's turn.

Source: grading, "a wall limit per exercise and per submission".
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from echomq_lab.checks.pupil import SilenceError


class Patience:
    """So many seconds from now; `words` tell what was awaited."""

    def __init__(self, limit_s: float, words: str) -> None:
        self._until, self._words = time.monotonic() + limit_s, words

    @property
    def remains_s(self) -> float:
        """The seconds that are left; less than none when it is over."""
        return self._until - time.monotonic()

    @property
    def left_s(self) -> float:
        """The seconds that are left. Raises `SilenceError` when none are."""
        if (left_s := self.remains_s) <= 0:
            raise self.end()
        return left_s

    def end(self) -> SilenceError:
        """What is said when the time is over."""
        return SilenceError("late", f"{self._words}: is there a loop without end?")

    @contextmanager
    def aside(self) -> Iterator[None]:
        """While another works, the clock stands."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._until += time.monotonic() - began


class Budget:
    """What one exercise, or the cells of one notebook, may take in all."""

    def __init__(self, limit_s: float, what: str) -> None:
        self._limit_s = self._left_s = limit_s
        self._what = what

    @contextmanager
    def patience(self, limit_s: float) -> Iterator[Patience]:
        """Patience for one answer, out of what is left."""
        if limit_s < self._left_s:
            patience = Patience(limit_s, f"no answer within {limit_s:.1f} seconds")
        else:
            patience = Patience(self._left_s, f"{self._what} took more than {self._limit_s:.0f} seconds together")
        began_s = patience.remains_s
        try:
            yield patience
        finally:
            self._left_s -= began_s - patience.remains_s
