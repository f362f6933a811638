"""A sweep drawn as a row of boxes, one for each step, and the next tick as a row below it.

Each box says its name, whether it was done, and what the store held after it: the registry's next run and the pending
jobs. A kill is a thick line before the step that it prevented, with the word. Drawn once, with a gid on every part, for
`widgets.stage`; a step that was done differs from one that was not by its word and its border, and by its fill.

Source: widgets, 4 and "The technique".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from echomq_lab.advance_readout import STEP_NAMES, fate, state
from echomq_lab.figures import INK, SETTINGS
from echomq_lab.scenario.sweep_steps import STEPS, TICK_MS, SweepRun
from echomq_lab.wording import clock_time

#: The most steps that a row has room for.
BOXES = 6
ROWS = 2
_WIDTH_IN, _HEIGHT_IN = 7.4, 3.0
#: The width of a row in the units of the SVG.
ACROSS = 0.96 * _WIDTH_IN * 72
_STEP, _BOX = 1 / BOXES, 0.94 / BOXES
_COLOUR, _KILL = "#009e73", "#d55e00"


@dataclass(frozen=True, slots=True)
class Box:
    """A step: its name, what became of it in a word, what the store held after it, whether it was done."""

    name: str
    word: str
    held: tuple[str, str]
    done: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A sweep: its title, its steps, and the number of steps done before it was killed, None when it was not."""

    title: str
    boxes: tuple[Box, ...]
    killed_after: int | None


@dataclass(frozen=True, slots=True)
class Flow:
    """A sweep and the next tick; `alt` says all of it."""

    rows: tuple[Row, ...]
    alt: str


def lay_out(run: SweepRun, shown: int, ticked: bool) -> Flow:
    """The first `shown` steps of a sweep, and the next tick if it has come."""
    names = STEPS[run.way]
    done = tuple(each.name for each in run.steps[:shown])
    killed = len(run.steps) if run.answer is None else None
    rows = [Row(f"The sweep at {clock_time(run.at_ms)}", tuple(_boxes(run, names, len(done), 0)), killed)]
    if ticked:
        sent = sum(each.step is not None for each in run.steps)
        then = tuple(each.name for each in run.then)
        title = f"The next tick at {clock_time(run.at_ms + TICK_MS)}: the occurrence {_became(run)}"
        rows.append(Row(title, tuple(_boxes(run, then, len(then), sent)), None))
    else:
        rows.append(Row("The next tick has not come", (), None))
    told = [f"A sweep in {len(names)} steps, {run.way}."]
    told += [f"{': '.join(filter(None, (row.title, '; '.join(_told(row)))))}." for row in rows]
    if ticked:
        told.append(fate(run))
    return Flow(tuple(rows), " ".join(told))


def draw() -> Figure:
    """Every part that a flow can have, a word in each text."""
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(_WIDTH_IN, _HEIGHT_IN))
        axes = figure.add_axes((0.02, 0.01, 0.96, 0.98))
        axes.set_xlim(0, 1)
        axes.set_ylim(0, ROWS)
        axes.set_axis_off()
        for row in range(ROWS):
            low = ROWS - 1 - row
            axes.text(0.004, low + 0.84, "-", color=INK, fontsize=9, gid=f"row{row}-title")
            for number in range(BOXES):
                left = number * _STEP + (_STEP - _BOX) / 2
                box: dict[str, Any] = {"linewidth": 1.2, "gid": f"row{row}-box-{number}", "edgecolor": INK}
                axes.add_patch(Rectangle((left, low + 0.44), _BOX, 0.32, facecolor=_COLOUR, **box))
                middle = left + _BOX / 2
                for part, height, size in (("name", 0.63, 9), ("word", 0.5, 8), ("next", 0.3, 8), ("jobs", 0.17, 8)):
                    place: dict[str, Any] = {"ha": "center", "fontsize": size, "gid": f"row{row}-{part}-{number}"}
                    axes.text(middle, low + height, "-", color=INK, **place)
        top, bottom = ROWS - 0.2, ROWS - 0.6
        axes.plot((0.004, 0.004), (bottom, top), color=_KILL, linewidth=4, gid="kill")
        axes.text(0.004, top + 0.03, "-", color=INK, ha="center", fontsize=9, fontweight="bold", gid="kill-label")
        return figure


def texts() -> list[str]:
    """The gids whose words change."""
    boxes = [
        f"row{row}-{part}-{n}" for row in range(ROWS) for part in ("name", "word", "next", "jobs") for n in range(BOXES)
    ]
    return [*boxes, *(f"row{row}-title" for row in range(ROWS)), "kill-label"]


def kill_x(done: int) -> float:
    """How far from its place at the left edge, in row widths, the kill after `done` steps stands."""
    return min(max(done * _STEP - 0.004, 0), 0.992)


def _boxes(run: SweepRun, names: tuple[str, ...], done: int, before: int) -> Iterator[Box]:
    sent = before
    for number, name in enumerate(names):
        sent += name != "mint"
        if number >= done:
            yield Box(STEP_NAMES[name], "not done", ("", ""), False)
            continue
        next_run, jobs = state(run.trace, sent)
        yield Box(STEP_NAMES[name], "done", (f"next {next_run}", f"{jobs} pending"), True)


def _told(row: Row) -> Iterator[str]:
    for number, box in enumerate(row.boxes):
        if row.killed_after == number:
            yield "killed here"
        held = f", {box.held[0]}, {box.held[1]}" if box.done else ""
        yield f"{box.name} {box.word}{held}"
    if row.killed_after == len(row.boxes):
        yield "killed here"


def _became(run: SweepRun) -> str:
    return {"lost": "is lost", "not at all": "did not run"}.get(run.fate, f"was enqueued {run.fate}")
