"""A run drawn as a clock rail: two lanes, cron above and interval below, and a line at now.

    rail(run)                     shown by a notebook as an SVG that follows the theme
    rail(run).save("rail.svg")    or .png: a file on a white card, the same bytes for the same run

Drawn once by matplotlib's objects, without pyplot. Each mark carries a gid, `cron-0` and `interval-0` onwards, by which
a style sheet can move it; `now` is the line. Marks differ by shape and lane, diamonds and circles, and by words, so
the colours (Okabe-Ito) tell nothing alone. What lies beyond the right edge is said in words.

Source: widgets, "The technique"; seed 001, "Static verdicts".
"""

from __future__ import annotations

import html
import re
from io import BytesIO, StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from echomq_lab.errors import ArgumentError
from echomq_lab.scenario import PREDICTED, CadenceRun, Lane
from echomq_lab.wording import clock_time, day, visible

# The foreground while drawing, replaced in a notebook by the theme's own.
_INK = "#010203"
_THEME_INK = "var(--jp-content-font-color1, currentColor)"
_COLOUR = {"cron": "#0072b2", "interval": "#d55e00"}
_SHAPE = {"cron": "D", "interval": "o"}
_RC: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "echomq-lab",
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "text.parse_math": False,
    "axes.unicode_minus": False,
}
_NO_DATE: dict[str, str | None] = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_WIDTH_IN, _HEIGHT_IN = 7.4, 3.1
_PAD = 0.06
# How many characters of a label fit side by side.
_CHARACTERS = 105
# The steps a clock's reader expects, in ms.
_TICKS_MS: tuple[int, ...] = (1, 5, 10, 50, 100, 500, 1_000, 2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000)
_TICKS_MS += (600_000, 900_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000)
_TICKS_MS += (604_800_000, 2_419_200_000, 31_536_000_000)


class Rail:
    """A drawn run. `figure` is the matplotlib `Figure`, `alt` its text alternative, made of the same data."""

    def __init__(self, run: CadenceRun) -> None:
        self.run = run
        self.left_ms, self.right_ms = _window(run)
        self.alt = _alt(run, self.right_ms)
        with matplotlib.rc_context(_RC):
            self.figure = _draw(run, self.left_ms, self.right_ms)

    def svg(self) -> str:
        """The picture as an SVG file's text on a white card, the same for the same run."""
        return _named(self._drawn("white").replace(_INK, "#1a1a1a"), self.alt)

    def save(self, path: str | Path) -> Path:
        """Write the picture to a file that ends in .svg or .png, and answer its path. Raises `ArgumentError`."""
        path = Path(path)
        if path.suffix not in (".svg", ".png"):
            raise ArgumentError("path", str(path), "a file that ends in .svg or .png", "try 'rail.svg'")
        if path.suffix == ".svg":
            path.write_text(self.svg(), encoding="utf-8", newline="\n")
        else:
            png = BytesIO()
            with matplotlib.rc_context(_RC):
                words = {"Description": self.alt, "Software": None}
                self.figure.savefig(png, format="png", dpi=200, facecolor="white", metadata=words)
            path.write_bytes(png.getvalue())
        return path

    def _repr_html_(self) -> str:
        # Two outputs on one page must not share an id, nor may an old one clash after a restart: no counter.
        page = uuid4().hex[:12]
        drawn = self._drawn("none").replace(_INK, _THEME_INK)
        drawn = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>r{page}-", drawn[drawn.index("<svg") :])
        return _named(drawn, self.alt)

    def __repr__(self) -> str:
        return self.alt

    def _drawn(self, card: str) -> str:
        text = StringIO()
        with matplotlib.rc_context(_RC):
            self.figure.savefig(text, format="svg", facecolor=card, metadata=_NO_DATE)
        # matplotlib names its own version in a comment.
        return re.sub(r"<!--.*?-->\n?", "", text.getvalue(), flags=re.DOTALL)


def rail(run: CadenceRun) -> Rail:
    """Draw a run's lanes over its clock. `readout.marks(run)` tells the same in a table."""
    return Rail(run)


def _named(svg: str, alt: str) -> str:
    named = f'<svg role="img" aria-label="{html.escape(alt)}" style="max-width:100%;height:auto" '
    return svg.replace("<svg ", named, 1)


def _window(run: CadenceRun) -> tuple[int, int]:
    """From a little before now to a little after the last mark of the lane that gets there first."""
    lasts = [lane.marks_ms[-1] for lane in run.lanes if lane.marks_ms and lane.marks_ms[-1] > run.now_ms]
    reach = min(lasts, default=run.now_ms + 60_000) - run.now_ms
    pad = max(1, round(reach * _PAD))
    return run.now_ms - pad, run.now_ms + reach + pad


def _split(lane: Lane, right_ms: int) -> tuple[list[int], list[int]]:
    inside = [at_ms for at_ms in lane.marks_ms if at_ms <= right_ms]
    return inside, list(lane.marks_ms[len(inside) :])


def _times(marks: list[int], lane: Lane, now_ms: int) -> str:
    return ", ".join(clock_time(at_ms, lane.tz, seen_from_ms=now_ms) for at_ms in marks)


def _title(lane: Lane) -> str:
    gap = f", {lane.says}" if lane.kind == "interval" else ""
    zone = "" if lane.tz == "UTC" else f", times in {lane.tz}"
    return f"{lane.kind} {visible(lane.rule, 40)}{gap}{zone}"


def _alt(run: CadenceRun, right_ms: int) -> str:
    told = [f"A clock rail with {len(run.lanes)} lanes; now is {day(run.now_ms)}, {clock_time(run.now_ms)} UTC."]
    for lane in run.lanes:
        inside, beyond = _split(lane, right_ms)
        shape = "diamonds" if lane.kind == "cron" else "circles"
        here = _times(inside, lane, run.now_ms) or "no mark"
        far = f"; beyond the right edge: {_times(beyond, lane, run.now_ms)}" if beyond else ""
        told.append(f"Lane {_title(lane)} ({lane.source}), {shape}: {here}{far}.")
    return " ".join(told)


def _draw(run: CadenceRun, left_ms: int, right_ms: int) -> Figure:
    figure = Figure(figsize=(_WIDTH_IN, _HEIGHT_IN))
    axes = figure.add_axes((0.02, 0.16, 0.96, 0.76))
    # Milliseconds from now: a float tells each apart, which of Unix milliseconds an affine map need not.
    axes.set_xlim(left_ms - run.now_ms, right_ms - run.now_ms)
    axes.set_ylim(0, len(run.lanes))
    axes.patch.set_visible(False)
    axes.set_yticks([])
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_INK)
    _ticks(axes, run.now_ms, left_ms, right_ms)
    axes.axvline(0, color=_INK, linewidth=1.2, linestyle=(0, (4, 3)), gid="now")
    now = clock_time(run.now_ms)
    axes.annotate(f"now {now}", (0, len(run.lanes)), (0, 3), textcoords="offset points", color=_INK, gid="now-label")
    for row, lane in enumerate(reversed(run.lanes)):
        _lane(axes, row, lane, run.now_ms, right_ms)
    return figure


def _ticks(axes: Axes, now_ms: int, left_ms: int, right_ms: int) -> None:
    span = right_ms - left_ms
    most = 8 if span < 86_400_000 else 5
    step = next((tick for tick in _TICKS_MS if span / tick <= most), span // 4)
    ticks = []
    for at_ms in range(-(-left_ms // step) * step, right_ms + 1, step):
        label = clock_time(at_ms, seen_from_ms=now_ms)
        half = len(label) * span / _CHARACTERS / 2
        if left_ms <= at_ms - half and at_ms + half <= right_ms:
            ticks.append((at_ms - now_ms, label))
    axes.set_xticks([at for at, _ in ticks], [label for _, label in ticks], color=_INK, fontsize=8)
    axes.tick_params(axis="x", color=_INK)
    axes.set_xlabel(f"{day(now_ms)}, UTC", color=_INK, fontsize=8)


def _lane(axes: Axes, row: int, lane: Lane, now_ms: int, right_ms: int) -> None:
    height, colour, (left, right) = row + 0.4, _COLOUR[lane.kind], axes.get_xlim()
    inside, beyond = _split(lane, right_ms)
    axes.axhline(height, color=_INK, linewidth=0.6, alpha=0.5)
    title = f"{_title(lane)} ({lane.source})"
    axes.annotate(title, (0, row + 0.76), (6, 0), textcoords="offset points", color=_INK, gid=f"{lane.kind}-title")
    hollow = lane.source == PREDICTED
    for number, at_ms in enumerate(inside):
        axes.plot(
            at_ms - now_ms,
            height,
            marker=_SHAPE[lane.kind],
            markersize=10,
            color=colour,
            markerfacecolor="none" if hollow else colour,
            markeredgewidth=2,
            clip_on=False,
            gid=f"{lane.kind}-{number}",
        )
    if lane.kind == "interval":
        _gaps(axes, height, [0, *(at_ms - now_ms for at_ms in inside)])
    for number, (at, text) in enumerate(_labels(inside, lane, now_ms, left, right)):
        axes.text(at, row + 0.15, text, color=_INK, ha="center", gid=f"{lane.kind}-label-{number}")
    if beyond:
        far = f"beyond this edge: {_times(beyond[:2], lane, now_ms)}"
        far += f" and {len(beyond) - 2} more" if len(beyond) > 2 else ""
        axes.text(right, row + 0.04, far, color=_INK, ha="right", fontsize=8, gid=f"{lane.kind}-beyond")


def _gaps(axes: Axes, height: float, stops: list[int]) -> None:
    """An arrow from each run to the next, where there is room for one."""
    arrow = {
        "arrowstyle": "->",
        "connectionstyle": "arc3,rad=-0.18",
        "color": _INK,
        "linewidth": 0.8,
        "shrinkA": 7,
        "shrinkB": 7,
    }
    left, right = axes.get_xlim()
    for number, (start, end) in enumerate(pairwise(stops)):
        if end - start > (right - left) * 0.06:
            gid = f"interval-gap-{number}"
            axes.annotate("", (end, height + 0.04), (start, height + 0.04), arrowprops={**arrow, "gid": gid})


def _labels(marks: list[int], lane: Lane, now_ms: int, left: float, right: float) -> list[tuple[float, str]]:
    """A label under each mark, clear of the edges and of the line at now; marks too close for that share one."""
    character = (right - left) / _CHARACTERS
    groups = [[at_ms] for at_ms in marks]
    while True:
        texts = [_label(group, lane, now_ms) for group in groups]
        half = [len(text) * character / 2 for text in texts]
        middles = [(group[0] + group[-1]) / 2 - now_ms for group in groups]
        clear = [h + character if abs(at) < h + character else at for at, h in zip(middles, half, strict=True)]
        placed = [max(min(at, right - h), left + h) for at, h in zip(clear, half, strict=True)]
        gaps = [placed[i + 1] - half[i + 1] - placed[i] - half[i] for i in range(len(placed) - 1)]
        close = next((i for i, gap in enumerate(gaps) if gap < character), None)
        if close is None:
            return list(zip(placed, texts, strict=True))
        groups[close : close + 2] = [groups[close] + groups[close + 1]]


def _label(group: list[int], lane: Lane, now_ms: int) -> str:
    if len(group) <= 3:
        return _times(group, lane, now_ms)
    first, last = _times(group[:1], lane, now_ms), _times(group[-1:], lane, now_ms)
    return f"{first} to {last}, {len(group)} marks"
