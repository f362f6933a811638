"""A class counted: results come in one at a time, and only the counts stay.

A student counts once. Of several results the first stands, and the others are told.

Source: grading, "Exports".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from statistics import median
from typing import Any

from echomq_lab.checks.exercises import IDS
from echomq_lab.checks.verdict import Status, Verdict
from echomq_lab.grading.feedback import MOST_OF_A_NAME
from echomq_lab.grading.graded import Graded
from echomq_lab.wording import visible

FORMAT = 1
#: The scores are told in so many bins of equal width.
BINS = 10
#: How many misconceptions of an exercise, shared remarks, and students by name are told.
_MOST_MISTAKES, _MOST_REMARKS, _MOST_STUDENTS = 5, 20, 50
_MOST_OF_A_TEXT = 300
#: What is said of answers that stopped, by what stands in a misconception's place: the words to a student may differ.
_STOPPED = {
    "raises": "The answer stopped with an error.",
    "late": "The answer was stopped: it did not end.",
    "ended": "The answer was stopped: it ended the process.",
}
_SILENT = (Status.NOT_ANSWERED, Status.UNGRADED)


@dataclass(slots=True)
class _Exercise:
    """What a class made of one exercise: how often each status, each misconception (name, message), each check."""

    title: str
    points: int = 0
    earned: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    mistakes: Counter[tuple[str, str]] = field(default_factory=Counter)
    checks: dict[str, int] = field(default_factory=dict)
    passed: Counter[str] = field(default_factory=Counter)

    def add(self, verdict: Verdict) -> None:
        self.points = max(self.points, verdict.points)
        self.earned += verdict.earned
        self.statuses[str(verdict.status)] += 1
        for check, points, passed in verdict.tests:
            self.checks[check] = points
            self.passed[check] += passed
        if verdict.failure and verdict.status not in _SILENT:
            mistake, says = verdict.failure.mistake, verdict.failure.says
            told = visible(mistake or f"none recognised, fails at: {verdict.failure.test}", _MOST_OF_A_TEXT)
            self.mistakes[told, _STOPPED.get(told) or visible(says, _MOST_OF_A_TEXT)] += 1

    @property
    def tried(self) -> int:
        """How many answers were tried."""
        return sum(count for status, count in self.statuses.items() if status not in _SILENT)


class Tally:
    """The counts of a class; `to_data()` tells them as JSON data."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, str]] = {}
        self._again: list[dict[str, str]] = []
        self._runs: list[dict[str, Any]] = []
        self._scores: Counter[int] = Counter()
        self._exercises: dict[str, _Exercise] = {}
        self._remarks: Counter[str] = Counter()
        self._ungraded: list[str] = []

    def add(self, run: str, graded: Graded) -> None:
        """Count a result of the run of this name."""
        self._ran(run, graded)
        student = visible(graded.student, MOST_OF_A_NAME)
        if student in self._seen:
            first, result = self._seen[student]
            same = "the same result" if result == _print(graded) else "another result, which does not count here"
            self._again.append({"student": student, "counts": first, "also": run, "is": same})
            return
        self._seen[student] = run, _print(graded)
        self._scores[graded.total] += 1
        for verdict in graded.verdicts:
            self._exercises.setdefault(verdict.exercise, _Exercise(verdict.title)).add(verdict)
        self._remarks.update({visible(each, _MOST_OF_A_TEXT) for each in graded.remarks})
        if any(verdict.status is Status.UNGRADED for verdict in graded.verdicts):
            self._ungraded.append(student)

    def _ran(self, run: str, graded: Graded) -> None:
        told = {"run": run, "kit": graded.kit, "seed": graded.seed, "isolated": graded.isolated}
        for each in self._runs:
            if each.items() >= told.items():
                each["results"] += 1
                return
        self._runs.append(told | {"results": 1})

    def to_data(self) -> dict[str, Any]:
        """The class report as JSON data, the same for the same results."""
        points = sum(each.points for each in self._exercises.values())
        return {
            "format": FORMAT,
            "students": len(self._seen),
            "runs": self._runs,
            "differ": [what for what in ("kit", "seed", "isolated") if len({each[what] for each in self._runs}) > 1],
            "again": self._again,
            "scores": self._told_scores(points),
            "exercises": [self._told(each) for each in sorted(self._exercises, key=_order)],
            "remarks": [
                {"remark": remark, "submissions": count}
                for remark, count in _commonest(self._remarks, _MOST_REMARKS)
                if count > 1
            ],
            "could not be graded": {
                "students": len(self._ungraded),
                "named": sorted(self._ungraded)[:_MOST_STUDENTS],
            },
        }

    def _told_scores(self, points: int) -> dict[str, Any]:
        edges = [number * points // BINS for number in range(BINS)]
        bins = [{"from": low, "to": high - 1, "students": 0} for low, high in pairwise([*edges, points + 1])]
        for score, count in self._scores.items():
            next(each for each in reversed(bins) if score >= each["from"])["students"] += count
        scores = sorted(self._scores.elements())
        return {
            "points": points,
            "lowest": scores[0],
            "median": median(scores),
            "mean": round(sum(scores) / len(scores), 1),
            "highest": scores[-1],
            "bins": [each for each in bins if each["from"] <= each["to"]],
        }

    def _told(self, exercise_id: str) -> dict[str, Any]:
        each = self._exercises[exercise_id]
        return {
            "exercise": exercise_id,
            "title": each.title,
            "points": each.points,
            "mean": round(each.earned / len(self._seen), 1),
            "statuses": {str(status): each.statuses[str(status)] for status in Status},
            "tried": each.tried,
            "misconceptions": [
                {"name": name, "says": says, "students": count}
                for (name, says), count in _commonest(each.mistakes, _MOST_MISTAKES)
            ],
            "checks": [
                {"check": check, "points": points, "passed": each.passed[check]}
                for check, points in each.checks.items()
            ],
        }


def _print(graded: Graded) -> str:
    """What tells whether two results are the same."""
    return sha256(graded.to_json().encode()).hexdigest()


def _commonest(counts: Counter[Any], most: int) -> list[tuple[Any, int]]:
    """The commonest first; of those as common, in the order of their words."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]


def _order(exercise_id: str) -> tuple[int, str]:
    return IDS.index(exercise_id) if exercise_id in IDS else len(IDS), exercise_id
