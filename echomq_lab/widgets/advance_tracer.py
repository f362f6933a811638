"""Dive 3's first widget: one period on three lanes, each writing its next run in its own way.

Above, EchoMQ's start-to-start; below it, for comparison, a lane that counts from the finish and one that counts from
the old score. At each change all three are run again on a store of the widget's own: register, sweep, advance.

Source: seed 000, "Producing the next run"; widgets, 3.
"""

from __future__ import annotations

from typing import Any

import ipywidgets

from echomq_lab import advance_readout, arguments
from echomq_lab.clock import FixedClock
from echomq_lab.layout import lay_out
from echomq_lab.scenario.advance import LANES, AdvanceRun, cadence_lanes
from echomq_lab.store import FAKEREDIS, connect
from echomq_lab.trace import Trace
from echomq_lab.widgets.app import App, scrolling, shows_faults
from echomq_lab.widgets.stage import RailStage
from echomq_lab.wording import span

QUEUE = "dive-3"
START = "09:00"
MOST_CYCLES = 8
_MINUTE = 60_000
TICKS_MS = (1_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 420_000, 600_000, 900_000)
OUTAGES_MS = (0, 600_000, 1_800_000, 3_600_000, 7_200_000)
#: An outage begins so long after the first release.
OUTAGE_AFTER_MS = 5 * _MINUTE
ALL = "all"
_NAMED: dict[str, Any] = {"style": {"description_width": "10em"}, "layout": {"width": "26rem"}}


def advance_tracer(every_ms: int = 900_000, run_ms: int = 240_000) -> AdvanceTracer:
    """Release a schedule of `every_ms` whose runs take `run_ms`, from 09:00, in three ways; both in ms.

    Raises a `LabError` for what none of them may be. Source: widgets, 3.
    """
    arguments.period_ms("every_ms", every_ms)
    return AdvanceTracer(every_ms, arguments.delay_ms("run_ms", run_ms))


class AdvanceTracer(App):
    """The app: `.trace` is what EchoMQ's lane executed, `.to_text()` all that the app shows."""

    def __init__(self, every_ms: int, run_ms: int) -> None:
        super().__init__()
        self._conn = connect(FAKEREDIS, clock=FixedClock(START))
        self._opening = (every_ms, run_ms)
        self._every_ms, self._run_ms = every_ms, run_ms
        self._stage = RailStage(tuple(LANES), MOST_CYCLES + 1)
        self._table = ipywidgets.HTML()
        self.lit = ipywidgets.ToggleButtons(
            options=[("All", ALL), ("Start-to-start", "start"), ("Start-to-finish", "finish"), ("By score", "score")],
            description="Light up",
            style={"description_width": "10em", "button_width": "auto"},
            layout={"width": "auto"},
        )
        self.period = ipywidgets.IntSlider(_minutes(every_ms, 1), 1, 60, description="Period, minutes", **_NAMED)
        self.length = ipywidgets.IntSlider(_minutes(run_ms, 0), 0, 60, description="Run, minutes", **_NAMED)
        self.tick = ipywidgets.SelectionSlider(options=_spans(TICKS_MS), description="A sweep every", **_NAMED)
        self.cycles = ipywidgets.IntSlider(3, 1, MOST_CYCLES, description="Cycles", **_NAMED)
        self.stopped = ipywidgets.SelectionSlider(options=_spans(OUTAGES_MS), description="Pump stopped", **_NAMED)
        self.again = ipywidgets.Button(description="Start again", layout={"width": "auto"})
        for name in ("lit", "period", "length", "tick", "cycles", "stopped"):
            getattr(self, name).add_class(f"echomq-{name}")
        sliders = (self.period, self.length, self.tick, self.cycles, self.stopped)
        row = ipywidgets.HBox((*sliders, self.again), layout={"flex_flow": "row wrap"})
        self.children = (self.lit, row, self.fault, self._stage.view, self.live, self._table)
        self.period.observe(lambda _: self._on_period(), "value")
        self.length.observe(lambda _: self._on_length(), "value")
        for widget in (self.tick, self.cycles, self.stopped):
            widget.observe(lambda _: self._on_run(), "value")
        self.lit.observe(lambda _: self._on_choice(), "value")
        self.again.on_click(lambda _: self._on_again())
        self._run = self._release()
        self._refresh()

    @property
    def trace(self) -> Trace:
        """What the store executed for EchoMQ's lane: the same run once more, recorded."""
        return self._release(recorded=True).trace

    def run(self) -> AdvanceRun:
        """The run that is shown."""
        return self._run

    def to_text(self) -> str:
        """The picture, the readout and the table, as plain text."""
        run = self._run
        picture = lay_out(run, lit=self._lit()).alt
        return "\n\n".join((picture, advance_readout.drift(run), str(advance_readout.lanes(run))))

    def dismiss(self) -> None:
        """Close the app and its store."""
        super().dismiss()
        self._conn.close()

    @shows_faults
    def _on_period(self) -> None:
        self._every_ms = self.period.value * _MINUTE
        self._run_again()

    @shows_faults
    def _on_length(self) -> None:
        self._run_ms = self.length.value * _MINUTE
        self._run_again()

    @shows_faults
    def _on_run(self) -> None:
        self._run_again()

    @shows_faults
    def _on_choice(self) -> None:
        self._refresh()

    @shows_faults
    def _on_again(self) -> None:
        every_ms, run_ms = self._opening
        for widget, value in (
            (self.period, _minutes(every_ms, 1)),
            (self.length, _minutes(run_ms, 0)),
            (self.tick, TICKS_MS[0]),
            (self.cycles, 3),
            (self.stopped, 0),
            (self.lit, ALL),
        ):
            widget.value = value
        self._every_ms, self._run_ms = self._opening
        self._run_again()

    def _run_again(self) -> None:
        self._run = self._release()
        self._refresh()

    def _release(self, *, recorded: bool = False) -> AdvanceRun:
        conn = self._conn
        conn.send("FLUSHALL")
        assert isinstance(conn.clock, FixedClock)
        conn.clock.set(START, back=True)
        stopped_ms = (OUTAGE_AFTER_MS, OUTAGE_AFTER_MS + self.stopped.value) if self.stopped.value else None
        beat = (self.tick.value, self.cycles.value)
        return cadence_lanes(conn, QUEUE, self._every_ms, self._run_ms, *beat, stopped_ms=stopped_ms, recorded=recorded)

    def _refresh(self) -> None:
        """Show the run as it is now: the one place where anything is drawn or said."""
        run = self._run
        self._stage.place(lay_out(run, lit=self._lit()))
        self._table.value = scrolling(advance_readout.lanes(run)._repr_html_(), "Runs")
        self.live.text = advance_readout.drift(run)
        self.live.attributes = self._attributes()

    def _lit(self) -> str | None:
        return None if self.lit.value == ALL else self.lit.value

    def _attributes(self) -> dict[str, dict[str, str]]:
        """The names and states that ipywidgets does not give."""
        told = {
            "period": ("Period", f"{self.period.value} minutes"),
            "length": ("Run length", f"{self.length.value} minutes"),
            "tick": ("A sweep every", span(self.tick.value)),
            "cycles": ("Cycles", str(self.cycles.value)),
            "stopped": ("Pump stopped", _told(self.stopped.value)),
        }
        attributes = pressed("lit", self.lit)
        for name, (label, value) in told.items():
            typed = isinstance(getattr(self, name), ipywidgets.IntSlider)
            attributes |= named_slider(name, label, value, typed=typed)
        return attributes


def pressed(name: str, toggles: ipywidgets.ToggleButtons) -> dict[str, dict[str, str]]:
    """Which of the buttons under the class `echomq-NAME` is pressed, as attributes."""
    return {
        f".echomq-{name} button:nth-of-type({number})": {"aria-pressed": str(value == toggles.value).lower()}
        for number, (_, value) in enumerate(toggles.options, 1)
    }


def named_slider(name: str, label: str, value: str, *, typed: bool = True) -> dict[str, dict[str, str]]:
    """The names of the slider under the class `echomq-NAME`, and of the box beside it where a number can be typed.

    A slider over a list has such a box too, in which nothing can be done: it is made plain text.
    """
    box = {"role": "textbox", "aria-label": f"{label}, a number"} if typed else {"contenteditable": "false"}
    return {
        f".echomq-{name} [role=slider]": {"aria-label": label, "aria-valuetext": value},
        f".echomq-{name} .widget-readout": box,
    }


def _minutes(ms: int, least: int) -> int:
    return min(60, max(least, ms // _MINUTE))


def _told(ms: int) -> str:
    return span(ms) if ms else "never"


def _spans(values_ms: tuple[int, ...]) -> list[tuple[str, int]]:
    return [(_told(ms), ms) for ms in values_ms]
