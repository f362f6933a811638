"""An exercise as data: the names it looks for, and an ordered list of tests, each with its points, words and hints.

A test draws cases from a seed, asks the student's answer about each, and compares with what the library does. Its
property is public and its numbers are not, so there is no hidden test that could leak.

Source: exercises, "What a check is".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, Protocol, TypeVar

from echomq_lab.checks.desk import Desk, Raised


class Answers(Protocol):
    """What a test hears: a `Heard`, a `Ran`, or a collection of the kind that tells its errors."""

    @property
    def errors(self) -> tuple[Raised, ...]:
        """What went wrong in the student's code."""


C = TypeVar("C")
H = TypeVar("H", bound=Answers)


@dataclass(frozen=True, slots=True)
class Marks:
    """A counter-example on a rail: now, the runs expected, and those that came, in Unix ms."""

    now_ms: int
    expected_ms: tuple[int, ...]
    came_ms: tuple[int, ...]
    tz: str = "UTC"


@dataclass(frozen=True, slots=True)
class Wrong:
    """Why a case fails, in words: what was given, what came, what was expected."""

    given: str
    came: str
    expected: str
    marks: Marks | None = None


@dataclass(frozen=True, slots=True)
class Mistake(Generic[C, H]):
    """A misconception: its name, what to say to the student, and whether what was heard in a failing case shows it."""

    id: str
    says: str
    shows: Callable[[C, H], bool]


@dataclass(frozen=True, slots=True)
class Test(Generic[C, H]):
    """One property that an answer must have.

    `says` is the message when it fails and no mistake is recognised, `next` what to try, `hints` a question, the
    place, a worked line. `cases` draws from a generator, `ask` puts one case to the answer, `judge` is None where it
    is right. `simpler` names simpler cases of the same property, the simplest first, for the counter-example that is
    shown; `tries` bounds how many are asked. `of` names what must be answered for it, all names of the exercise unless
    given. A test that runs `on_store` runs on each store.
    """

    id: str
    points: int
    says: str
    next: str
    hints: tuple[str, str, str]
    cases: Callable[[Random], Sequence[C]]
    ask: Callable[[Desk, C], H]
    judge: Callable[[C, H], Wrong | None]
    given: Callable[[C], str]
    simpler: Callable[[C], Iterable[C]] = lambda _: ()
    tries: int = 200
    mistakes: tuple[Mistake[C, H], ...] = ()
    of: tuple[str, ...] = ()
    on_store: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """A name that an exercise looks for: a function with its arguments, "(expr, now_ms)", or a value with its kind.

    A value's kind is said in words ("Lua text", "a whole number"); `type` is what it must be to be looked at at all.
    """

    name: str
    kind: str
    takes: str = ""
    type: str = ""

    @property
    def arguments(self) -> int:
        """How many arguments the function takes."""
        return len([each for each in self.takes.strip("()").split(",") if each.strip()])


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise. `hides` names the parts of the library that it asks for (see `answering`)."""

    id: str
    title: str
    names: tuple[Name, ...]
    tests: tuple[Test, ...]  # type: ignore[type-arg]
    hides: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        """What a right answer earns."""
        return sum(test.points for test in self.tests)

    @property
    def on_store(self) -> bool:
        """Whether it is tried on stores."""
        return any(test.on_store for test in self.tests)
