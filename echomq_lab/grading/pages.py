"""The feedback of each student: a page that needs nothing but itself, and the same as JSON.

    DIR/feedback/<submission>.html    no script, nothing from elsewhere; light, dark and on paper
    DIR/feedback/<submission>.json    `feedback.feedback`

The templates escape whatever they are given; what is markup says so itself.

Source: grading, "Feedback per student".
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from echomq_lab.checks.exercise import Marks
from echomq_lab.grading import results
from echomq_lab.grading.feedback import MOST_INSTANTS, feedback, graded_with, headline
from echomq_lab.grading.graded import Graded
from echomq_lab.wording import UnshowableError

_TEMPLATES = Path(__file__).parent / "templates"
#: A class makes the same mistakes: so many pictures are kept.
_PICTURES = 256


def write(out: Path) -> None:
    """Write the page and the JSON of every result of a run. Raises `FolderError` and `ResultError`."""
    for name, graded in results.read(out):
        results.write(out / "feedback" / f"{name}.html", page(graded))
        results.write(out / "feedback" / f"{name}.json", data(graded))


def data(graded: Graded) -> str:
    """The feedback of a result as JSON text."""
    return json.dumps(feedback(graded), indent=1, sort_keys=True) + "\n"


def page(graded: Graded) -> str:
    """The feedback of a result as an HTML page, the same for the same result."""
    told = feedback(graded)
    for number, (exercise, verdict) in enumerate(zip(told["exercises"], graded.verdicts, strict=True), 1):
        marks = verdict.failure and verdict.failure.marks
        exercise |= {
            "anchor": f"exercise-{number}",
            "headline": headline(exercise),
            "picture": marks and _picture(marks, f"rail-{number}-"),
        }
    return render("feedback.html", told=told, graded_with=graded_with(told))


def render(template: str, **given: Any) -> str:
    """A template of this package filled in."""
    return _environment().get_template(template).render(**given)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@lru_cache(_PICTURES)
def _picture(marks: Marks, prefix: str) -> Markup | None:
    """The rail of a counter-example, its first instants; None when its zone's clock cannot show one of them."""
    from echomq_lab.checks.picture import rail
    from echomq_lab.figures import in_page

    few = replace(marks, expected_ms=marks.expected_ms[:MOST_INSTANTS], came_ms=marks.came_ms[:MOST_INSTANTS])
    try:
        drawn = rail(few)
    except UnshowableError:
        return None
    return Markup(in_page(drawn.figure, prefix, drawn.alt))
