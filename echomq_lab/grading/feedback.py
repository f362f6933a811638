"""What a student is told of a result, as data: the page, the file beside it and Gradescope's output are made of it.

A misconception's name is the instructor's to know: the student gets its message. Whatever may be a student's own text
is cut, and what cannot be printed is spelled out.

Source: grading, "Feedback per student".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from echomq_lab.checks.exercise import Marks
from echomq_lab.checks.verdict import Failure, Verdict
from echomq_lab.grading.graded import Graded
from echomq_lab.wording import UnshowableError, clock_time, day, in_calendar, relative, visible

FORMAT = 1
#: The longest name and the longest line that is shown, in characters; and how many lines of a text.
MOST_OF_A_NAME, _MOST_OF_A_LINE, _MOST_LINES = 200, 600, 24
#: How many remarks are told, and how many instants of a counter-example.
_MOST_REMARKS, MOST_INSTANTS = 40, 12


def feedback(graded: Graded) -> dict[str, Any]:
    """The feedback of a result, as JSON data: neither seed nor expected values but those of the counter-examples."""
    remarks = [visible(each, _MOST_OF_A_LINE) for each in graded.remarks[:_MOST_REMARKS]]
    if (more := len(graded.remarks) - _MOST_REMARKS) > 0:
        remarks.append(f"and {more} more")
    return {
        "format": FORMAT,
        "student": visible(graded.student, MOST_OF_A_NAME),
        "submission": visible(graded.submission, MOST_OF_A_NAME),
        "content": graded.content,
        "kit": graded.kit,
        "seed": graded.seed,
        "isolated": graded.isolated,
        "earned": graded.total,
        "points": sum(verdict.points for verdict in graded.verdicts),
        "exercises": [_exercise(verdict) for verdict in graded.verdicts],
        "remarks": remarks,
    }


def _exercise(verdict: Verdict) -> dict[str, Any]:
    return {
        "exercise": verdict.exercise,
        "title": verdict.title,
        "status": str(verdict.status),
        "earned": verdict.earned,
        "points": verdict.points,
        "checks": [{"check": test, "points": points, "passed": passed} for test, points, passed in verdict.tests],
        "failure": verdict.failure and _failure(verdict, verdict.failure),
    }


def _failure(verdict: Verdict, failure: Failure) -> dict[str, Any]:
    tests = [test for test, _, _ in verdict.tests]
    return {
        # What stands before all checks, such as an answer that is not there, is none of them.
        "check": failure.test if failure.test in tests else None,
        "says": _text(failure.says),
        "given": _text(failure.given),
        "came": _text(failure.came),
        "expected": _text(failure.expected),
        "on": failure.store.removeprefix("embedded://"),
        "next": _text(failure.next),
        "instants": instants(failure.marks) if failure.marks else [],
    }


def instants(marks: Marks) -> list[dict[str, str]]:
    """The instants of a counter-example in words: the twin of its picture."""
    sides = (("expected", marks.expected_ms), ("your answer", marks.came_ms))
    told = [_instant(whose, at_ms, marks) for whose, runs in sides for at_ms in runs[:MOST_INSTANTS]]
    for whose, runs in sides:
        if (more := len(runs) - MOST_INSTANTS) > 0:
            told.append({"whose": whose, "clock": f"and {more} more", "away": "", "ms": ""})
    return told


def _instant(whose: str, at_ms: int, marks: Marks) -> dict[str, str]:
    clock, away = "no clock shows it", ""
    if in_calendar(at_ms):
        try:
            clock = f"{day(at_ms, marks.tz)}, {clock_time(at_ms, marks.tz)} {marks.tz}"
            away = relative(at_ms, marks.now_ms)
        except UnshowableError:
            pass
    return {"whose": whose, "clock": clock, "away": away, "ms": visible(str(at_ms), 40)}


def headline(exercise: dict[str, Any]) -> str:
    """One exercise of the feedback in one line."""
    return f"{exercise['status']}, {exercise['earned']} of {exercise['points']} points"


def lines(exercise: dict[str, Any]) -> Iterator[str]:
    """One exercise of the feedback as lines of text."""
    yield headline(exercise)
    if failure := exercise["failure"]:
        if failure["check"]:
            yield f"First check that fails: {failure['check']}"
        yield failure["says"]
        for what in ("given", "came", "expected", "on"):
            if failure[what]:
                first, *rest = failure[what].split("\n")
                yield f"  {what:<10}{first}".rstrip()
                yield from (f"{'':12}{line}" for line in rest)
        yield f"Try next: {failure['next']}"


def graded_with(told: dict[str, Any]) -> str:
    """How a result was made, in one line."""
    isolation = "on" if told["isolated"] else "OFF"
    return f"Graded with echomq-lab {told['kit']}, seed {told['seed']} (its fingerprint), isolation {isolation}."


def _text(text: str) -> str:
    """A text of some lines, each cut, and with how many more there are."""
    lines = text.split("\n")
    told = [visible(line, _MOST_OF_A_LINE) for line in lines[:_MOST_LINES]]
    if (more := len(lines) - _MOST_LINES) > 0:
        told.append(f"... ({more} more lines)")
    return "\n".join(told)
