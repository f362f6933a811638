"""Occurrences per second as a picture: a line for each scheduler, its rate on a log axis, in figures beside its mark.

Drawn as the rails are, by matplotlib's objects, on a white card. The lab's own differ from the others by the shape and
fill of the mark, and each line says its name, so the colours tell nothing alone.
"""

from __future__ import annotations

import matplotlib
from matplotlib import ticker
from matplotlib.figure import Figure

from benchmarks.table import number
from echomq_lab import figures

TITLE = "Occurrences a second, on one Valkey in one run (log axis)"
_WIDTH_IN, _LINE_IN, _ABOVE_IN, _BELOW_IN = 7.4, 0.3, 0.35, 0.45
_OWN = ("sweep_atomic", "sweep")


def alt(rates: dict[str, float]) -> str:
    """The text alternative: what the picture shows, in its order."""
    told = "; ".join(f"{name} {number(rate)}" for name, rate in rates.items())
    return f"{TITLE}: {told}."


def svg(rates: dict[str, float]) -> str:
    """The picture as an SVG file's text, the same for the same rates."""
    return figures.on_card(draw(rates), alt(rates))


def draw(rates: dict[str, float]) -> Figure:
    """The picture as a matplotlib `Figure`."""
    with matplotlib.rc_context(figures.SETTINGS):
        height = _ABOVE_IN + _LINE_IN * len(rates) + _BELOW_IN
        figure = Figure(figsize=(_WIDTH_IN, height))
        axes = figure.add_axes((0.19, _BELOW_IN / height, 0.79, _LINE_IN * len(rates) / height))
        low, high = 10 ** (_decade(min(rates.values()))), 10 ** (_decade(max(rates.values())) + 1)
        axes.set_xscale("log")
        axes.set_xlim(low, high * 1.6)
        axes.set_ylim(len(rates) - 0.5, -0.5)
        for row, (name, rate) in enumerate(rates.items()):
            own = name in _OWN
            colour = "#0072b2" if own else "#d55e00"
            axes.plot((low, rate), (row, row), color=figures.INK, linewidth=0.8)
            axes.plot(
                rate,
                row,
                marker="D" if own else "o",
                color=colour,
                markerfacecolor=colour if own else "white",
                markersize=8,
                markeredgewidth=2,
                linestyle="none",
            )
            told = {"xytext": (9, 0), "textcoords": "offset points", "va": "center", "color": figures.INK}
            axes.annotate(number(rate), (rate, row), **told)
        axes.set_yticks(range(len(rates)), list(rates))
        axes.xaxis.set_major_formatter(lambda value, _: number(value))
        axes.xaxis.set_minor_locator(ticker.NullLocator())
        axes.tick_params(colors=figures.INK, length=3)
        for edge in axes.spines.values():
            edge.set_visible(False)
        axes.grid(axis="x", color=figures.INK, alpha=0.2, linewidth=0.6)
        figure.text(0.02, 1 - 0.2 / height, TITLE, color=figures.INK, va="center", fontsize=10)
        return figure


def _decade(rate: float) -> int:
    return len(str(int(rate))) - 1
