"""A run drawn as a clock rail: a lane for each rule, and a line at now.

    rail(run)                     shown by a notebook as an SVG that follows the theme
    rail(run).save("rail.svg")    or .png: a file on a white card, the same bytes for the same run

Drawn by matplotlib's objects, without pyplot, from a `Layout`. Every part carries its gid, by which a style sheet can
move it. Marks differ by shape and lane (`layout.KINDS`) and by words, so the colours (Okabe-Ito) tell nothing alone.
What lies beyond an edge is said in words.

Source: widgets, "The technique"; seed 001, "Static verdicts".
"""

from __future__ import annotations

import html
import re
from io import BytesIO, StringIO
from math import nan
from pathlib import Path
from typing import Any
from uuid import uuid4

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from echomq_lab.errors import ArgumentError
from echomq_lab.layout import KINDS, Layout, Word, lay_out
from echomq_lab.scenario import CadenceRun, takes_run

#: The foreground while drawing, replaced in a notebook by the theme's own.
INK = "#010203"
_THEME_INK = "var(--jp-content-font-color1, currentColor)"
#: What matplotlib is told while it draws and writes, and at no other time.
SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "echomq-lab",
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "text.parse_math": False,
    "axes.unicode_minus": False,
}
_NO_DATE: dict[str, str | None] = dict.fromkeys(("Creator", "Date", "Format", "Type"))
# In inches: the picture's width, and the heights of what is below the lanes, of a lane, and of what is above.
_WIDTH_IN, _BELOW_IN, _LANE_IN, _ABOVE_IN = 7.4, 0.527, 1.1625, 0.248
_EDGE, _ACROSS = 0.02, 0.96
#: The left edge of a rail and its width in the units of its SVG.
LEFT, WIDTH = _EDGE * _WIDTH_IN * 72, _ACROSS * _WIDTH_IN * 72
# Height in the lane, the end that stands at x, size. Words outside the lanes have heights of their own.
_WORDS = {
    "title": (0.80, "left", 9),
    "label": (0.15, "center", 9),
    "before": (0.02, "left", 8),
    "beyond": (0.02, "right", 8),
}


class Rail:
    """A drawn run. `figure` is the matplotlib `Figure`, `alt` its text alternative, made of the same data."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.alt = layout.alt
        self.figure = draw(layout)

    def svg(self) -> str:
        """The picture as an SVG file's text on a white card, the same for the same run."""
        return on_card(self.figure, self.alt)

    def save(self, path: str | Path) -> Path:
        """Write the picture to a file that ends in .svg or .png, and answer its path. Raises `ArgumentError`."""
        if not isinstance(path, str | Path) or Path(path).suffix not in (".svg", ".png"):
            raise ArgumentError("path", path, "a file that ends in .svg or .png", "try 'rail.svg'")
        path = Path(path)
        picture = self.svg().encode() if path.suffix == ".svg" else self._png()
        try:
            path.write_bytes(picture)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise ArgumentError("path", str(path), "a file that can be written", f"it was told: {why}") from error
        return path

    def _png(self) -> bytes:
        png = BytesIO()
        with matplotlib.rc_context(SETTINGS):
            words = {"Description": self.alt, "Software": None}
            self.figure.savefig(png, format="png", dpi=200, facecolor="white", metadata=words)
        return png.getvalue()

    def _repr_html_(self) -> str:
        return in_page(self.figure, f"r{uuid4().hex[:12]}-", self.alt)

    def __repr__(self) -> str:
        return self.alt


def rail(run: CadenceRun, window_ms: tuple[int, int] | None = None, lit: str | None = None) -> Rail:
    """Draw a run's lanes over its clock, in a window of two instants unless it is to find one.

    `readout.marks(run)` tells the same in a table.
    """
    takes_run(run)
    return Rail(lay_out(run, window_ms, lit))


def on_card(figure: Figure, alt: str) -> str:
    """A figure as an SVG file's text on a white card, with its text alternative; the same for the same figure."""
    return _named(_svg(figure, "white").replace(INK, "#1a1a1a"), alt)


def theme_svg(figure: Figure, prefix: str) -> str:
    """A figure as an `<svg>` for a page: in the theme's ink, each id with a prefix.

    Two outputs on one page must not share an id, nor may an old one clash after a restart: a uuid, no counter.
    """
    svg = _svg(figure, "none").replace(INK, _THEME_INK)
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}", svg[svg.index("<svg") :])
    # matplotlib styles every element of an SVG file; in a page that would be every element of the page.
    return svg.replace("*{", f"#{prefix}figure_1 *{{", 1)


def in_page(figure: Figure, prefix: str, alt: str) -> str:
    """A figure as an `<svg>` for a page, with its text alternative; the same for the same prefix."""
    return _named(theme_svg(figure, prefix), alt)


def draw(layout: Layout) -> Figure:
    """A layout as a matplotlib `Figure`, one unit wide and one unit a lane high."""
    with matplotlib.rc_context(SETTINGS):
        height = round(_BELOW_IN + len(layout.kinds) * _LANE_IN + _ABOVE_IN, 4)
        figure = Figure(figsize=(_WIDTH_IN, height))
        axes = figure.add_axes((_EDGE, _BELOW_IN / height, _ACROSS, len(layout.kinds) * _LANE_IN / height))
        rows = {kind: row for row, kind in enumerate(reversed(layout.kinds))}
        axes.set_xlim(0, 1)
        axes.set_ylim(0, len(rows))
        axes.set_axis_off()
        axes.plot((0, 1), (0, 0), color=INK, linewidth=0.8, clip_on=False)
        for number, x in enumerate(layout.ticks):
            axes.plot((x, x), (0, -0.05), color=INK, linewidth=0.8, clip_on=False, gid=f"tick-{number}")
        for kind, row in rows.items():
            if kind in layout.lit:
                axes.axhspan(
                    row + 0.01, row + 0.97, color=KINDS[kind].colour, alpha=0.1, linewidth=0, gid=f"{kind}-band"
                )
            axes.plot((0, 1), (row + 0.42, row + 0.42), color=INK, linewidth=0.6, alpha=0.5)
        if layout.now_x is not None:
            _now(axes, layout.now_x, len(rows))
        for hop in layout.hops:
            _hop(axes, hop.x, hop.width, rows[hop.gid.partition("-")[0]] + 0.47, hop.gid)
        for bar in layout.bars:
            kind = bar.gid.partition("-")[0]
            _bar(axes, bar.x, bar.width, rows[kind] + 0.42, KINDS[kind].colour, bar.gid)
        for mark in layout.marks:
            kind = mark.gid.partition("-")[0]
            _mark(axes, mark.x, rows[kind] + 0.42, kind, mark.hollow, mark.gid)
        for word in layout.words:
            _word(axes, word, rows)
        return figure


def _now(axes: Axes, x: float, lanes: int) -> None:
    # In pieces, clear of what the lanes say above and below their marks.
    heights = [height for row in range(lanes) for height in (row + 0.26, row + 0.72, nan)]
    xs = [nan if height != height else x for height in (*heights, lanes - 0.03, lanes + 0.03)]
    line: dict[str, Any] = {"color": INK, "linewidth": 1.4, "linestyle": (0, (4, 3)), "clip_on": False}
    axes.plot(xs, [*heights, lanes - 0.03, lanes + 0.03], gid="now", **line)


def _mark(axes: Axes, x: float, y: float, kind: str, hollow: bool, gid: str) -> None:
    axes.plot(
        x,
        y,
        marker=KINDS[kind].marker,
        markersize=10,
        color=KINDS[kind].colour,
        markerfacecolor="none" if hollow else KINDS[kind].colour,
        markeredgewidth=2,
        linestyle="none",
        clip_on=False,
        gid=gid,
    )


def _hop(axes: Axes, x: float, width: float, y: float, gid: str) -> None:
    steps = [step / 24 for step in range(25)]
    heights = [y + 0.2 * 4 * step * (1 - step) for step in steps]
    axes.plot([x + width * step for step in steps], heights, color=INK, linewidth=0.8, clip_on=False, gid=gid)


def _bar(axes: Axes, x: float, width: float, y: float, colour: str, gid: str) -> None:
    line: dict[str, Any] = {"color": colour, "linewidth": 7, "alpha": 0.6, "solid_capstyle": "butt"}
    axes.plot((x, x + width), (y, y), gid=gid, **line)


def _word(axes: Axes, word: Word, rows: dict[str, int]) -> None:
    if word.gid.startswith("tick-label"):
        y, end, size = -0.19, "center", 8
    elif word.gid == "day":
        y, end, size = -0.4, "center", 8
    elif word.gid == "now-label":
        y, end, size = len(rows) + 0.06, "center", 9
    else:
        kind, role, *_ = word.gid.split("-")
        height, end, size = _WORDS[role]
        y = rows[kind] + height
    axes.text(word.x, y, word.text, color=INK, ha=end, fontsize=size, gid=word.gid)


def _svg(figure: Figure, card: str) -> str:
    text = StringIO()
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(text, format="svg", facecolor=card, metadata=_NO_DATE)
    # matplotlib names its own version in a comment.
    return re.sub(r"<!--.*?-->\n?", "", text.getvalue(), flags=re.DOTALL)


def _named(svg: str, alt: str) -> str:
    named = f'<svg role="img" aria-label="{html.escape(alt)}" style="max-width:100%;height:auto" '
    return svg.replace("<svg ", named, 1)
