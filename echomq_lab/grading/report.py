"""The class report: what a class made of the exercises, as a page, as JSON, and as text.

    DIR/report.html, DIR/report.json        `write`; `answer` is the command `echomq-lab report DIR...`

All three tell the tables that `tables` makes of a `Tally`'s data. The picture of the scores has its twin among them.
Here the misconceptions have their names: a report is the instructor's.

Source: grading, "Exports".
"""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from echomq_lab.checks.verdict import Status
from echomq_lab.grading import exports, pages, results
from echomq_lab.grading.tally import Tally
from echomq_lab.readout import Table
from echomq_lab.wording import visible

_WIDTH_IN, _HEIGHT_IN = 7.4, 2.6
_BAR = "#0072b2"
_WIDEST_CELL = 56
#: How many of the results that do not count are named above the report.
_MOST_AGAIN = 20


def answer(options: argparse.Namespace) -> str:
    """Report on the runs that the options name; of several, join the tables of marks too. Answers what to print.

    Raises `FolderError` and `ResultError`.
    """
    runs = list(dict.fromkeys(options.runs))
    out = options.out or runs[0]
    told = tallied(runs)
    write(out, told)
    written = ["report.html", "report.json"]
    if out != runs[0] or len(runs) > 1:
        exports.write(out, runs)
        written += ["grades.csv", "canvas.csv", "moodle.csv"]
    where = visible(str(out), 4_096)
    return f"{to_text(told)}\n\nwrote {', '.join(written[:-1])} and {written[-1]} in {where}"


def tallied(runs: Sequence[Path]) -> dict[str, Any]:
    """The data of the report on one or several runs, each told by its number and its folder's name."""
    tally = Tally()
    for number, run in enumerate(runs, 1):
        name = visible(run.resolve().name, 80)
        for _, graded in results.read(run):
            tally.add(name if len(runs) == 1 else f"{number} ({name})", graded)
    return tally.to_data()


def write(out: Path, told: dict[str, Any]) -> None:
    """Write the report's data, and its page. Raises `FolderError`."""
    results.write(out / "report.json", json.dumps(told, indent=1, sort_keys=True) + "\n")
    results.write(out / "report.html", page(told))


def page(told: dict[str, Any]) -> str:
    """The report as a page that needs nothing but itself."""
    given = {"told": told, "lines": list(lines(told)), "warnings": list(warnings(told)), "tables": list(tables(told))}
    return pages.render("report.html", **given, picture=_picture(told["scores"]))


def to_text(told: dict[str, Any]) -> str:
    """The report as plain text."""
    above = ["Class report", *lines(told), *(f"! {each}" for each in warnings(told))]
    return "\n\n".join(["\n".join(above), *(f"{head}: {_narrow(table)}" for head, table in tables(told))])


def _narrow(table: Table) -> Table:
    """The table with its long cells in several lines."""
    rows = (tuple("\n".join(textwrap.wrap(cell, _WIDEST_CELL)) for cell in row) for row in table.rows)
    return replace(table, rows=tuple(rows))


def lines(told: dict[str, Any]) -> Iterator[str]:
    """What was graded, and with what."""
    yield f"{_count(told['students'], 'student')}."
    for run in told["runs"]:
        isolation = "on" if run["isolated"] else "OFF"
        yield (
            f"Run {run['run']}: {_count(run['results'], 'result')}, echomq-lab {run['kit']}, "
            f"seed {run['seed']} (its fingerprint), isolation {isolation}."
        )


def warnings(told: dict[str, Any]) -> Iterator[str]:
    """What stands in the way of trusting the numbers, or of comparing them."""
    if not all(run["isolated"] for run in told["runs"]):
        yield "Graded without isolation: what one submission did may have touched the results of others."
    words = {"kit": "the version of the kit", "seed": "the seed", "isolated": "isolation"}
    if differ := [words[each] for each in told["differ"]]:
        yield f"The results differ in {', '.join(differ)}: they were not all graded alike."
    for each in told["again"][:_MOST_AGAIN]:
        yield f"{each['student']} is there again: run {each['counts']} counts, run {each['also']} has {each['is']}."
    if (more := len(told["again"]) - _MOST_AGAIN) > 0:
        yield f"{more} more results are of students who are there again: report.json names them."
    ungraded = told["could not be graded"]
    if ungraded["students"]:
        more = ungraded["students"] - len(ungraded["named"])
        names = ", ".join(ungraded["named"]) + (f" and {more} more" if more else "")
        yield f"Exercises of {_count(ungraded['students'], 'student')} could not be graded, grade them again: {names}."


def tables(told: dict[str, Any]) -> Iterator[tuple[str, Table]]:
    """The report as tables, each with its heading."""
    yield "Scores", _scores(told["scores"])
    yield "Exercises", _exercises(told)
    yield "Misconceptions", _misconceptions(told)
    yield "Checks that nobody passed", _nobody(told)
    rows = tuple((each["remark"], str(each["submissions"])) for each in told["remarks"])
    yield "Remarks", Table("what is remarked of more than one submission", ("remark", "submissions"), rows)


def _scores(scores: dict[str, Any]) -> Table:
    rows = tuple((_bin(each), str(each["students"])) for each in scores["bins"])
    caption = (
        f"of {scores['points']} points: lowest {scores['lowest']}, median {scores['median']:g}, "
        f"mean {scores['mean']:g}, highest {scores['highest']}"
    )
    return Table(caption, ("points", "students"), rows)


def _exercises(told: dict[str, Any]) -> Table:
    rows = [
        (
            each["exercise"],
            each["title"],
            *(str(each["statuses"][str(status)]) for status in Status),
            f"{each['mean']:g} of {each['points']}",
        )
        for each in told["exercises"]
    ]
    columns = ("exercise", "asks for", *map(str, Status), "mean points")
    return Table("how many students in each status", columns, tuple(rows))


def _misconceptions(told: dict[str, Any]) -> Table:
    rows = [
        (each["exercise"], found["name"], str(found["students"]), found["says"])
        for each in told["exercises"]
        for found in each["misconceptions"]
    ]
    columns = ("exercise", "misconception", "students", "what they are told")
    return Table("the commonest of each exercise, by the first check that fails", columns, tuple(rows))


def _nobody(told: dict[str, Any]) -> Table:
    rows = [
        (each["exercise"], check["check"], str(check["points"]), str(each["tried"]))
        for each in told["exercises"]
        for check in each["checks"]
        if check["passed"] == 0
    ]
    columns = ("exercise", "check", "points", "answers tried")
    return Table("the hardest, or at fault themselves", columns, tuple(rows))


def _bin(each: dict[str, Any]) -> str:
    return str(each["from"]) if each["from"] == each["to"] else f"{each['from']} to {each['to']}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _picture(scores: dict[str, Any]) -> Markup:
    """How many students have how many points, as bars with their numbers."""
    import matplotlib
    from matplotlib.figure import Figure

    from echomq_lab.figures import INK, SETTINGS, in_page

    bins = scores["bins"]
    counts = [each["students"] for each in bins]
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(_WIDTH_IN, _HEIGHT_IN))
        axes = figure.add_axes((0.02, 0.2, 0.96, 0.7))
        axes.patch.set_visible(False)
        bars = axes.bar(range(len(bins)), counts, width=0.8, color=_BAR)
        axes.bar_label(bars, [str(count) if count else "" for count in counts], padding=2, color=INK)
        axes.set_xticks(range(len(bins)), [_bin(each) for each in bins], color=INK)
        axes.set_xlabel(f"points of {scores['points']}; above each bar the students who have them", color=INK)
        axes.set_ylim(0, max(counts) * 1.15)
        axes.yaxis.set_visible(False)
        axes.tick_params(length=0)
        for side, spine in axes.spines.items():
            spine.set_visible(side == "bottom")
            spine.set_color(INK)
    told = ", ".join(f"{_bin(each)}: {each['students']}" for each in bins)
    alt = f"Bars: how many students have how many of {scores['points']} points. {told}."
    return Markup(in_page(figure, "scores-", alt))
