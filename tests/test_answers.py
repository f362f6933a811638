"""The library of answers: each known wrong one gets its own message, each right one all points, on both stores.

A file of `tests/answers/<exercise>/` is the content of an answer cell. The docstring of a `wrong_*.py` names the
mistake it makes, and, line by line, the test at which it fails first, the mistake that is recognised (if one is), and
how the message begins. `only:` says that it passes every other test: so that test is not idle.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from echomq_lab.checks.exercise import Exercise
from echomq_lab.checks.exercises import IDS, exercise
from echomq_lab.checks.judge import judge
from echomq_lab.checks.pupil import Forked
from echomq_lab.checks.verdict import Status, Verdict
from echomq_lab.store import FAKEREDIS

ANSWERS = Path(__file__).parent / "answers"
SEEDS = ("public", "a", "b")
MANY_SEEDS = tuple(f"seed {number}" for number in range(50))


@dataclass(frozen=True)
class Answer:
    exercise: str
    path: Path
    code: str
    told: dict[str, str]

    @property
    def right(self) -> bool:
        return self.path.name.startswith("right_")

    def names(self) -> dict[str, Any]:
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(self.code, str(self.path), "exec"), names)
        return names


def read(path: Path) -> Answer:
    code = path.read_text("utf-8")
    docstring = ast.get_docstring(ast.parse(code)) or ""
    told = dict(re.findall(r"^(test|mistake|says|only): ?(.*)$", docstring, re.MULTILINE))
    return Answer(path.parent.name, path, code, told)


ALL = [read(path) for path in sorted(ANSWERS.glob("[1-3].[1-5]/*.py"))]
WRONG = [answer for answer in ALL if not answer.right]


def name(answer: Answer) -> str:
    return f"{answer.exercise}/{answer.path.stem}"


def verdicts(
    answer: Answer, seeds: tuple[str, ...], valkey_url: str, asked: Exercise | None = None
) -> Iterator[Verdict]:
    asked = asked or exercise(answer.exercise)
    with Forked(answer.names(), total_s=len(seeds) * 20.0) as pupil:
        for seed in seeds:
            yield judge(asked, pupil, seed=seed, stores=(FAKEREDIS, valkey_url))
            # A small counter-example is looked for under the first seed alone: no message depends on it.
            asked = replace(asked, tests=tuple(replace(test, tries=0) for test in asked.tests))


def has_its_verdict(answer: Answer, verdict: Verdict) -> None:
    if answer.right:
        assert verdict.failure is None, verdict
        assert (verdict.status, verdict.earned) == (Status.RIGHT, verdict.points)
        return
    assert verdict.failure is not None
    assert verdict.earned < verdict.points
    assert verdict.failure.test == answer.told["test"], verdict
    assert verdict.failure.mistake == answer.told.get("mistake"), verdict
    assert verdict.failure.says.startswith(answer.told["says"]), verdict
    if "only" in answer.told:
        assert [test for test, _, passed in verdict.tests if not passed] == [answer.told["test"]], verdict


@pytest.mark.parametrize("answer", ALL, ids=name)
def test_each_answer_gets_its_verdict(answer: Answer, valkey_url: str) -> None:
    for verdict in verdicts(answer, SEEDS, valkey_url):
        has_its_verdict(answer, verdict)


@pytest.mark.soak
@pytest.mark.parametrize("answer", ALL, ids=name)
def test_each_answer_gets_its_verdict_under_many_seeds(answer: Answer, valkey_url: str) -> None:
    for verdict in verdicts(answer, MANY_SEEDS, valkey_url):
        has_its_verdict(answer, verdict)


@pytest.mark.parametrize("exercise_id", IDS)
def test_every_exercise_has_enough_answers(exercise_id: str) -> None:
    of_it = [answer for answer in ALL if answer.exercise == exercise_id]
    right = sum(answer.right for answer in of_it)
    assert len(of_it) - right >= 4
    assert right >= (2 if exercise_id == "2.2" else 3)


@pytest.mark.parametrize("exercise_id", IDS)
def test_no_two_wrong_answers_get_the_same_message(exercise_id: str) -> None:
    told = [answer.told["says"] for answer in WRONG if answer.exercise == exercise_id]
    assert [a for a in told if sum(b.startswith(a) for b in told) > 1] == []


@pytest.mark.parametrize("exercise_id", IDS)
def test_without_any_one_test_some_wrong_answer_would_pass(exercise_id: str, valkey_url: str) -> None:
    asked = exercise(exercise_id)
    for test in asked.tests:
        without = replace(asked, tests=tuple(each for each in asked.tests if each is not test))
        witness = next(
            (a for a in WRONG if a.exercise == exercise_id and a.told["test"] == test.id and "only" in a.told), None
        )
        assert witness is not None, f"no wrong answer fails at {test.id!r} alone"
        (verdict,) = verdicts(witness, ("public",), valkey_url, without)
        assert verdict.status is Status.RIGHT, f"{witness.path.name} without {test.id!r}: {verdict}"


def test_the_exercises_are_worth_a_hundred_points() -> None:
    assert [exercise(each).points for each in IDS] == [4, 4, 10, 6, 6, *[4, 6, 12, 6, 6], *[4, 10, 14, 4, 4]]
