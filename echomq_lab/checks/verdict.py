"""What a check says of one exercise, as data: text for a terminal, HTML for a notebook, JSON for a file.

Source: exercises, "What a check is"; grading, "Feedback".
"""

from __future__ import annotations

import html
import json
import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from echomq_lab.checks.exercise import Marks
from echomq_lab.readout import Table

_WIDE = 100


class Status(StrEnum):
    """How an exercise stands. Each is another word in every export."""

    RIGHT = "right"
    WRONG = "wrong"
    NOT_ANSWERED = "not answered"
    TIMED_OUT = "timed out"
    CRASHED = "crashed"
    UNGRADED = "could not be graded"


@dataclass(frozen=True, slots=True)
class Failure:
    """The first thing that is wrong: the test, the mistake if one was recognised, and the smallest case found.

    `says` is the message; `given`, `came` and `expected` are that case in words (empty where there is none); `next` is
    what to try; `store` where it happened, for what runs on stores; `marks` the case on a rail.
    """

    test: str
    mistake: str | None
    says: str
    given: str
    came: str
    expected: str
    next: str
    store: str = ""
    marks: Marks | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """What a check says of one exercise. `tests` are (id, points, passed) in order; `failure` is None when all passed.

    `note` is a line of its own about the notebook, if there is something to say.
    """

    exercise: str
    title: str
    status: Status
    tests: tuple[tuple[str, int, bool], ...]
    failure: Failure | None = None
    note: str = ""

    @property
    def points(self) -> int:
        """What a right answer earns."""
        return sum(points for _, points, _ in self.tests)

    @property
    def earned(self) -> int:
        """The points of the tests that passed."""
        return sum(points for _, points, passed in self.tests if passed)

    def headline(self) -> str:
        """The verdict in one line."""
        status = "not answered yet" if self.status is Status.NOT_ANSWERED else str(self.status)
        return f"{self.exercise} {self.title}: {status}, {self.earned} of {self.points} points (public checks)"

    def to_text(self) -> str:
        """The verdict as plain text."""
        return "\n".join([self.headline(), *self._lines()])

    def to_json(self) -> str:
        """The verdict as one JSON object, the same bytes for the same verdict."""
        told = asdict(self) | {"earned": self.earned, "points": self.points, "public": True}
        return json.dumps(told, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Verdict:
        """The verdict that `to_json` wrote."""
        told: dict[str, Any] = json.loads(text)
        tests = tuple((test, points, passed) for test, points, passed in told["tests"])
        failure = told["failure"] and _failure(told["failure"])
        return cls(told["exercise"], told["title"], Status(told["status"]), tests, failure, told["note"])

    def to_html(self) -> str:
        """The verdict as HTML with nothing outside it; what is the student's is escaped."""
        parts = [f"<p><strong>{html.escape(self.headline())}</strong></p>"]
        if self.failure:
            parts.append(f"<p>{html.escape(self.failure.says)}</p>")
            if rows := self._case():
                parts.append(_table(rows))
            if picture := self._picture():
                parts.append(picture)
            parts.append(f"<p>Try next: {html.escape(self.failure.next)}</p>")
        if self.note:
            parts.append(f"<p>{html.escape(self.note)}</p>")
        return f'<div class="echomq-check">{"".join(parts)}</div>'

    def _case(self) -> list[tuple[str, str]]:
        failure = self.failure
        if failure is None:
            return []
        store = failure.store.removeprefix("embedded://")
        rows = [("given", failure.given), ("came", failure.came), ("expected", failure.expected), ("on", store)]
        return [(what, words) for what, words in rows if words]

    def _lines(self) -> Iterator[str]:
        if self.failure:
            yield from textwrap.wrap(self.failure.says, _WIDE)
            for what, words in self._case():
                first, *rest = words.split("\n")
                yield f"  {what:<10}{first}".rstrip()
                yield from (f"{'':12}{line}" for line in rest)
            yield from textwrap.wrap(f"Try next: {self.failure.next}", _WIDE)
        if self.note:
            yield from textwrap.wrap(self.note, _WIDE)

    def _picture(self) -> str:
        """The case on a rail: what was expected above, what came below."""
        marks = self.failure and self.failure.marks
        if not marks:
            return ""
        from echomq_lab.checks.picture import rail

        picture: str = rail(marks)._repr_html_()
        return picture

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        return self.to_text()


def summary(verdicts: list[Verdict]) -> Table:
    """The verdicts of several exercises as a table, with the total."""
    rows = [
        (v.exercise, v.title, str(v.status), f"{v.earned} of {v.points}", v.failure.says if v.failure else "")
        for v in verdicts
    ]
    earned, points = sum(v.earned for v in verdicts), sum(v.points for v in verdicts)
    notes = ("Public checks: a mark is made with other numbers of the same kinds.",)
    return Table(
        f"{earned} of {points} points",
        ("exercise", "asks for", "status", "points", "what is wrong"),
        tuple(rows),
        notes,
    )


def _failure(told: dict[str, Any]) -> Failure:
    marks = told["marks"]
    if marks is not None:
        expected_ms, came_ms = tuple(marks["expected_ms"]), tuple(marks["came_ms"])
        marks = Marks(marks["now_ms"], expected_ms, came_ms, marks["tz"])
    return Failure(**told | {"marks": marks})


def _table(rows: list[tuple[str, str]]) -> str:
    style = "text-align:left;vertical-align:top"
    body = "".join(
        f'<tr><th scope="row" style="{style};white-space:nowrap">{html.escape(what)}</th>'
        f'<td style="{style};white-space:pre-wrap;overflow-wrap:anywhere">{html.escape(words)}</td></tr>'
        for what, words in rows
    )
    return f"<table><tbody>{body}</tbody></table>"
