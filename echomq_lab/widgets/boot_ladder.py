"""The picture of dive 2: a ladder of commands for each boot, and under it the registry on a rail.

A rung is filled when the store executed its command and hollow when it did not; a word beside it says so. A diamond
asks and a square writes. Circles on the rail are the entries of the registry, hollow ones where a score stood before.

Source: widgets, 2 ("the steps of the script light as they ran").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from echomq_lab.figures import INK, SETTINGS, WIDTH
from echomq_lab.keyspace import registry_key
from echomq_lab.scenario import BootRun, Way
from echomq_lab.widgets.stage import Stage
from echomq_lab.wording import clock_time, visible

VERBS = ("EXISTS", "HSET", "ZADD")
TITLES = {
    Way.GUARDED: "register: one script, which probes the record first",
    Way.NAIVE: "naive add: HSET and ZADD under name#boot, no probe",
    Way.AGAIN: "same name again: HSET and ZADD, no probe",
    Way.ASK_FIRST: "ask, then add: EXISTS, HSET and ZADD as commands of their own",
}
#: How many boots, and how many entries of the registry, the picture has room for.
MOST_BOOTS, MOST_ENTRIES = 4, 3
_RUNGS = {"EXISTS": "EXISTS record", "HSET": "HSET record", "ZADD": "ZADD registry"}
_SHAPES = {"EXISTS": ("D", "#0072b2"), "HSET": ("s", "#d55e00"), "ZADD": ("s", "#d55e00")}
_ENTRY = "#009e73"
# In parts of the width: the first column and the next, the rail's ends.
_FIRST, _APART, _RAIL, _RAIL_END = 0.185, 0.20, 0.185, 0.80
_WIDTH_IN, _ROW_IN, _ROWS = 7.4, 0.32, 12.3


@dataclass(frozen=True, slots=True)
class Scene:
    """What the picture shows: the last boots, and the registry of `queue` at `now_ms` on a rail of `reach_ms`.

    `scores` are next-run ms by name, `before` those before the last call, `fired` the jobs so far.
    """

    way: Way
    queue: str
    boots: Sequence[BootRun]
    scores: dict[str, int]
    before: dict[str, int]
    now_ms: int
    reach_ms: int
    fired: int

    @property
    def alt(self) -> str:
        """The picture in words."""
        told = [f"A ladder of commands for each boot. {TITLES[self.way]}."]
        for run in self.boots:
            rungs = ", ".join(f"{verb} {cell(run, verb, self.way)}" for verb in VERBS)
            told.append(f"{run.what} at {clock_time(run.at_ms)}: {rungs}, answer {answer(run)}.")
        if not self.boots:
            told.append("No boot yet.")
        told.append(f"{self.heading}.")
        told += [f"{name}: {self.label(name)}." for name in self.shown]
        return " ".join([*told, self.footing])

    @property
    def shown(self) -> list[str]:
        """The names that have room on the rail, the earliest first."""
        return list(self.scores)[:MOST_ENTRIES]

    @property
    def heading(self) -> str:
        """How many entries there are, in words."""
        return f"Registry {registry_key(self.queue)} at {clock_time(self.now_ms)}: ZCARD {len(self.scores)}"

    @property
    def footing(self) -> str:
        """What has no room, and how many jobs came out."""
        more = len(self.scores) - len(self.shown)
        return f"{f'And {more} more entries. ' if more else ''}Jobs fired so far: {self.fired}."

    def label(self, name: str) -> str:
        """An entry's next run, and where it stood before."""
        at_ms, was_ms = self.scores[name], self.before.get(name)
        due = " due" if at_ms <= self.now_ms else ""
        moved = "" if was_ms in (None, at_ms) else f" (was {clock_time(was_ms or 0, seen_from_ms=self.now_ms)})"
        return f"{clock_time(at_ms, seen_from_ms=self.now_ms)}{due}{moved}"


def cell(run: BootRun, verb: str, way: str) -> str:
    """What became of one command in a run of boots: ran, not reached, or no probe in this way."""
    if verb == "EXISTS" and way in (Way.NAIVE, Way.AGAIN):
        return "no probe"
    count = run.called(verb)
    asked = len(run.answers)
    if asked == 1:
        return "ran" if count else "not reached"
    return f"ran {count} of {asked}"


def answer(run: BootRun) -> str:
    """What was told, in words: exists, or 49 exists, 1 registered."""
    if len(run.answers) == 1:
        return run.answers[0]
    return ", ".join(f"{count} {told}" for told, count in run.counts.items()) or "nothing"


class LadderStage(Stage):
    """The picture in a widget: drawn once with room for everything, then `place` shows a `Scene`."""

    def __init__(self) -> None:
        figure, self._marks, texts = _draw()
        super().__init__(figure, texts)

    def place(self, scene: Scene) -> None:
        """Show a scene: styles and words alone."""
        styles = dict.fromkeys(self._marks, "visibility:hidden")
        texts = {"title": TITLES[scene.way], "heading": scene.heading, "footing": scene.footing}
        texts |= {"from": f"now {clock_time(scene.now_ms)}", "to": clock_time(scene.now_ms + scene.reach_ms)}
        texts |= {f"rung-{verb}": label for verb, label in _RUNGS.items()} | {"rung-answer": "the answer"}
        for column, run in enumerate(scene.boots):
            texts |= {f"what-{column}": run.what, f"at-{column}": f"at {clock_time(run.at_ms)}"}
            texts[f"answer-{column}"] = answer(run)
            for verb in VERBS:
                word = cell(run, verb, scene.way)
                texts[f"word-{verb}-{column}"] = word
                ran = run.called(verb) > 0
                if word != "no probe":
                    styles[f"mark-{verb}-{column}"] = ""
                    styles[f"mark-{verb}-{column} use"] = f"fill-opacity:{int(ran)}!important"
                    styles[f"line-{verb}-{column}"] = "" if ran else "stroke-dasharray:2 3"
        for row, name in enumerate(scene.shown):
            texts |= {f"name-{row}": visible(name, 18), f"label-{row}": scene.label(name)}
            styles[f"entry-{row}"] = self._at(scene, scene.scores[name])
            styles[f"label-{row}"] = self._at(scene, max(scene.scores[name], scene.before.get(name, 0)))
            styles[f"rail-{row}"] = ""
            if name in scene.before and scene.before[name] != scene.scores[name]:
                styles[f"was-{row}"] = self._at(scene, scene.before[name])
        self.show(styles, texts, scene.alt)

    @staticmethod
    def _at(scene: Scene, at_ms: int) -> str:
        part = min(max((at_ms - scene.now_ms) / scene.reach_ms, 0), 1)
        return f"transform:translate({part * (_RAIL_END - _RAIL) * WIDTH:.2f}px,0)"


def _draw() -> tuple[Figure, list[str], list[str]]:
    """The picture with every part in place, the gids of its marks, and those of its texts."""
    marks: list[str] = []
    texts: list[str] = []
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(_WIDTH_IN, _ROW_IN * _ROWS))
        axes = figure.add_axes((0.02, 0.01, 0.96, 0.98))
        axes.set_xlim(0, 1)
        axes.set_ylim(_ROWS, 0)
        axes.set_axis_off()

        def text(gid: str, x: float, y: float, size: float = 9, weight: str = "normal") -> None:
            axes.text(x, y, "-", color=INK, va="center", fontsize=size, gid=gid, fontweight=weight)
            texts.append(gid)

        def mark(gid: str, x: float, y: float, shape: str, colour: str, fill: str) -> None:
            style: dict[str, Any] = {
                "color": colour,
                "markerfacecolor": fill,
                "markeredgewidth": 2,
                "linestyle": "none",
            }
            axes.plot(x, y, marker=shape, markersize=9, gid=gid, clip_on=False, **style)
            marks.append(gid)

        text("title", 0, 0.5, 10, "bold")
        for row, verb in enumerate(VERBS):
            text(f"rung-{verb}", 0, 3.5 + row)
        text("rung-answer", 0, 6.5)
        for column in range(MOST_BOOTS):
            x = _FIRST + column * _APART
            text(f"what-{column}", x, 1.7, 8.5, "bold")
            text(f"at-{column}", x, 2.4, 8.5)
            for row, verb in enumerate(VERBS):
                y = 3.5 + row
                axes.plot((x + 0.013,) * 2, (y + 0.25, y + 0.75), color=INK, linewidth=1, gid=f"line-{verb}-{column}")
                marks.append(f"line-{verb}-{column}")
                mark(f"mark-{verb}-{column}", x + 0.013, y, *_SHAPES[verb], _SHAPES[verb][1])
                text(f"word-{verb}-{column}", x + 0.037, y)
            text(f"answer-{column}", x, 6.5, 8)
        axes.plot((0, 1), (7.3, 7.3), color=INK, linewidth=0.6, alpha=0.5)
        text("heading", 0, 7.9, 9, "bold")
        text("footing", 0.6, 7.9)
        text("from", _RAIL, 8.7, 8)
        text("to", _RAIL_END, 8.7, 8)
        for row in range(MOST_ENTRIES):
            y = 9.6 + row
            text(f"name-{row}", 0, y)
            axes.plot((_RAIL, _RAIL_END), (y, y), color=INK, linewidth=0.8, alpha=0.5, gid=f"rail-{row}")
            marks.append(f"rail-{row}")
            mark(f"was-{row}", _RAIL, y, "o", _ENTRY, "none")
            mark(f"entry-{row}", _RAIL, y, "o", _ENTRY, _ENTRY)
            text(f"label-{row}", _RAIL + 0.018, y - 0.36, 8.5)
    return figure, marks, texts
