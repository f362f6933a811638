"""The marks as tables that other systems take.

    DIR/grades.csv                                  a row a student: points and status of each exercise, the total
    DIR/canvas.csv                                  a gradebook import of Canvas: one assignment
    DIR/moodle.csv                                  a grade import of Moodle: one grade with its feedback
    DIR/gradescope/<submission>/results.json        what a Gradescope autograder puts out

A cell that a spreadsheet would take for a formula gets an apostrophe before it. Where an exercise could not be graded,
the total is no mark: the gradebooks' cells stay empty.

Source: grading, "Exports".
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from echomq_lab.checks.exercises import IDS
from echomq_lab.checks.verdict import Status
from echomq_lab.grading import results
from echomq_lab.grading.feedback import MOST_OF_A_NAME, feedback, graded_with, lines
from echomq_lab.grading.graded import Graded
from echomq_lab.wording import visible

#: The assignment's name in gradebooks. A column of another name is another assignment: rename it in the file's head.
ASSIGNMENT = "EchoMQ Lab"
#: How a spreadsheet's formula may begin, also behind spaces and in the wide forms of the signs.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
#: Canvas takes a row for its own whose first cell holds these words.
_POINTS_POSSIBLE = "Points Possible"

Row = tuple[str, ...]


def write(out: Path, runs: Sequence[Path] = ()) -> None:
    """Write the tables of the results of a run, or of several runs as one class, and what Gradescope takes.

    Raises `FolderError` and `ResultError`.
    """
    grades, canvas, moodle = set(), set(), set()
    points = 0
    for run in runs or (out,):
        for name, graded in results.read(run):
            grades.add(_grades(graded))
            canvas.add(_canvas(graded))
            moodle.add(_moodle(graded))
            points = max(points, sum(verdict.points for verdict in graded.verdicts))
            if not runs:
                results.write(out / "gradescope" / name / "results.json", gradescope(graded))
    exercises = [column for each in IDS for column in (each, f"{each} status")]
    possible = (f"    {_POINTS_POSSIBLE}", "", "", "", "", str(points))
    results.write(
        out / "grades.csv", _csv(("student", *exercises, "total", "kit", "seed", "isolation"), sorted(grades))
    )
    results.write(out / "canvas.csv", _csv(_CANVAS, [possible, *sorted(canvas)]))
    results.write(out / "moodle.csv", _csv(_MOODLE, sorted(moodle)))


def gradescope(graded: Graded) -> str:
    """The `results.json` of a Gradescope autograder for a result."""
    told = feedback(graded)
    output = [graded_with(told), *told["remarks"]]
    tests = [
        {
            "name": f"{each['exercise']} {each['title']}",
            "number": each["exercise"],
            "score": each["earned"],
            "max_score": each["points"],
            "output": "\n".join(lines(each)),
            "output_format": "text",
            "visibility": "visible",
        }
        for each in told["exercises"]
    ]
    whole: dict[str, Any] = {
        "score": told["earned"],
        "output": "\n".join(output),
        "output_format": "text",
        "visibility": "visible",
        "tests": tests,
    }
    return json.dumps(whole, indent=1, sort_keys=True) + "\n"


def _grades(graded: Graded) -> Row:
    by_id = {verdict.exercise: verdict for verdict in graded.verdicts}
    cells: list[str] = []
    for each in IDS:
        verdict = by_id.get(each)
        cells += (str(verdict.earned), str(verdict.status)) if verdict else ("", "not in this result")
    isolation = "on" if graded.isolated else "OFF"
    return (_student(graded), *cells, str(graded.total), graded.kit, graded.seed, isolation)


#: How Canvas names a file that was handed in: the student's name, its id of the student, its id of the file.
_OF_CANVAS = re.compile(r".+?_(?:LATE_)?(\d{1,18})_\d+_")
_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", ASSIGNMENT)


def _canvas(graded: Graded) -> Row:
    # Canvas looks for its own id, then for the SIS id, the login, the name: whichever of these the student is known by.
    student = _student(graded)
    name = "" if _POINTS_POSSIBLE in student else student
    if found := _OF_CANVAS.match(graded.submission):
        return (name, found[1], "", "", "", _mark(graded))
    return (name, "", student, student, "", _mark(graded))


_MOODLE = ("student", f"{ASSIGNMENT} (Real)", f"{ASSIGNMENT} (Feedback)")


def _moodle(graded: Graded) -> Row:
    words = [f"{each.exercise} {each.status} ({each.earned} of {each.points})" for each in graded.verdicts]
    words += [] if graded.isolated else ["graded without isolation"]
    return (_student(graded), _mark(graded), "; ".join(words))


def _student(graded: Graded) -> str:
    return visible(graded.student, MOST_OF_A_NAME)


def _mark(graded: Graded) -> str:
    """The total; empty where an exercise could not be graded."""
    return "" if any(verdict.status is Status.UNGRADED for verdict in graded.verdicts) else str(graded.total)


def _csv(head: Row, rows: Iterable[Row]) -> str:
    """Comma-separated text as RFC 4180 has it."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([head, *([_defused(cell) for cell in row] for row in rows)])
    return text.getvalue()


def _defused(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell
