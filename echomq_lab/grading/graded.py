"""The result of one submission, as data: what every page, table and export is made of.

Written whole as one JSON file. It holds no time and no path, so that the same seed and submission give the same bytes.

Source: grading, "Design", 5 to 7.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from echomq_lab.checks.exercise import Marks
from echomq_lab.checks.verdict import Failure, Status, Verdict
from echomq_lab.errors import LabError

FORMAT = 1


class ResultError(LabError, ValueError):
    """A file that holds no result of this format."""


@dataclass(frozen=True, slots=True)
class Graded:
    """What one submission earned.

    `student` is the name in the exports, `submission` the name of the file or folder, `content` the hash of what was
    graded. `verdicts` are in the order of the exercises. `remarks` are about the submission as a whole and its cells.
    `kit`, `seed` (its fingerprint) and `isolated` tell how it was graded.
    """

    student: str
    submission: str
    content: str
    verdicts: tuple[Verdict, ...]
    remarks: tuple[str, ...]
    kit: str
    seed: str
    isolated: bool

    @property
    def total(self) -> int:
        """The points of all exercises."""
        return sum(verdict.earned for verdict in self.verdicts)

    def to_json(self) -> str:
        """The result as JSON text."""
        told = asdict(self) | {"format": FORMAT, "total": self.total}
        return json.dumps(told, sort_keys=True, indent=1) + "\n"


def fingerprint(seed: str) -> str:
    """What may be told of a seed: it names the seed and does not give it away."""
    return sha256(f"echomq-lab seed {seed}".encode()).hexdigest()[:12]


def from_json(text: str) -> Graded:
    """The result of a JSON text. Raises `ResultError`."""
    try:
        data = json.loads(text)
        if data.pop("format") != FORMAT:
            raise ValueError("another format")
        del data["total"]
        data["verdicts"] = tuple(map(_verdict, data["verdicts"]))
        data["remarks"] = tuple(data["remarks"])
        return Graded(**data)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ResultError(f"this is no result of a grading: {error}") from None


def _verdict(data: dict[str, Any]) -> Verdict:
    data = data | {"status": Status(data["status"]), "tests": tuple(map(_test, data["tests"]))}
    if failure := data["failure"]:
        marks = failure["marks"]
        data["failure"] = Failure(**failure | {"marks": marks and _marks(marks)})
    return Verdict(**data)


def _test(row: Sequence[Any]) -> tuple[str, int, bool]:
    name, points, passed = row
    return name, points, passed


def _marks(data: dict[str, Any]) -> Marks:
    return Marks(data["now_ms"], tuple(data["expected_ms"]), tuple(data["came_ms"]), data["tz"])
