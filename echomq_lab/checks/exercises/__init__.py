"""The fifteen exercises, 100 points: a module each, loaded when it is asked for.

Source: exercises, the table.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from echomq_lab.checks.exercise import Exercise
from echomq_lab.errors import ArgumentError, plain

#: Their ids in order; the number before the point is the dive's.
IDS = tuple(f"{dive}.{number}" for dive in (1, 2, 3) for number in range(1, 6))


def exercise(exercise_id: str) -> Exercise:
    """The exercise of an id. Raises `ArgumentError` for another one."""
    exercise_id = plain(exercise_id)
    if exercise_id not in IDS:
        raise ArgumentError("exercise", exercise_id, f"one of {', '.join(IDS)} as text", "try check('1.1')")
    return _loaded(exercise_id)


@cache
def _loaded(exercise_id: str) -> Exercise:
    found: Exercise = import_module(f"{__name__}.ex_{exercise_id.replace('.', '_')}").EXERCISE
    return found
