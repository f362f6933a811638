"""Dive 3's second widget: one sweep, step by step, with a kill switch between any two steps, and the next tick.

Each way of sweeping is run on a store of the widget's own, whole or killed, and its trace is walked through. What is
shown for a kill is a sweep that was killed there, not a whole one with its end left out.

Source: wire contract, "The pump" and "Two sweeps"; widgets, 4.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import ipywidgets

from echomq_lab import advance_readout, flow, readout, repeat
from echomq_lab.clock import FixedClock
from echomq_lab.layout import lay_out
from echomq_lab.readout import Table
from echomq_lab.scenario.advance import LANES, AdvanceRun, outage
from echomq_lab.scenario.sweep_steps import ADVANCE_FIRST, ENQUEUE_FIRST, ONE_SCRIPT, STEPS, SweepRun, sweep_steps
from echomq_lab.store import FAKEREDIS, connect
from echomq_lab.trace import Trace
from echomq_lab.widgets.advance_tracer import named_slider, pressed
from echomq_lab.widgets.app import App, scrolling, shows_faults
from echomq_lab.widgets.stage import RailStage, Stage

QUEUE, NAME, PERIOD_MS = "dive-3", "daily-report", 900_000
START = "09:00"
WAYS = {
    ENQUEUE_FIRST: "Enqueue, then advance (EchoMQ)",
    ADVANCE_FIRST: "Advance, then enqueue (not EchoMQ)",
    ONE_SCRIPT: "All in one script (atomic)",
}
_SNUG: dict[str, Any] = {"layout": {"width": "auto"}}


def pump_stepper() -> PumpStepper:
    """Step through one sweep of a due registration; kill it between any two steps; see what the next tick does.

    Source: widgets, 4.
    """
    return PumpStepper()


@cache
def swept(way: str, kill_before: int | None) -> SweepRun:
    """A sweep that finds one registration due at 09:00, on a fresh store: the same every time."""
    with connect(FAKEREDIS, clock=FixedClock(START)) as conn:
        repeat.register(conn, QUEUE, NAME, PERIOD_MS, "{}")
        return sweep_steps(conn, QUEUE, kill_before=kill_before, way=way)


@cache
def rested() -> AdvanceRun:
    """A pump that stops for an hour at 09:05."""
    with connect(FAKEREDIS, clock=FixedClock(START)) as conn:
        return outage(conn, QUEUE, PERIOD_MS)


class PumpStepper(App):
    """The app: `.trace` is what the run that is shown executed, `.to_text()` all that the app shows."""

    def __init__(self) -> None:
        super().__init__()
        self._killed = self._ticked = self._rested = False
        self._setting = False
        self._stage = Stage(flow.draw(), flow.texts())
        self._rail = RailStage(tuple(LANES), len(rested().lanes[0].marks_ms))
        self._table = ipywidgets.HTML()
        # Buttons, not a list or radio buttons: JupyterLab takes the arrow keys of those for its own.
        self.way = ipywidgets.ToggleButtons(
            options=[(label, way) for way, label in WAYS.items()],
            description="Order",
            style={"description_width": "7em", "button_width": "auto"},
            layout={"width": "auto"},
        )
        self.done = ipywidgets.IntSlider(
            6, 0, 6, description="Steps done", style={"description_width": "7em"}, layout={"width": "26rem"}
        )
        self.buttons = {
            name: ipywidgets.Button(description=label, **_SNUG)
            for name, label in {
                "back": "Back a step",
                "on": "Next step",
                "kill": "Kill the pump here",
                "tick": "Next tick",
                "rest": "Stop the pump for an hour",
                "again": "Start again",
            }.items()
        }
        self.way.add_class("echomq-way")
        self.done.add_class("echomq-done")
        button = self.buttons
        rows = (
            (self.way,),
            (self.done, button["back"], button["on"]),
            (button["kill"], button["tick"], button["rest"], button["again"]),
        )
        boxes = [ipywidgets.HBox(row, layout={"flex_flow": "row wrap"}) for row in rows]
        self.children = (*boxes, self.fault, self._stage.view, self._rail.view, self.live, self._table)
        self.way.observe(lambda _: self._setting or self._on_way(), "value")
        self.done.observe(lambda _: self._setting or self._on_done(), "value")
        for name, act in {
            "back": lambda: self._on_step(-1),
            "on": lambda: self._on_step(1),
            "kill": self._on_kill,
            "tick": self._on_tick,
            "rest": self._on_rest,
            "again": self._on_again,
        }.items():
            button[name].on_click(lambda _, act=act: act())
        self._refresh()

    @property
    def trace(self) -> Trace:
        """What the run that is shown executed, its next tick included."""
        return rested().trace if self._rested else self.run().trace

    def run(self) -> SweepRun:
        """The sweep that is shown: whole, or killed after the steps that are done."""
        return swept(self.way.value, self.done.value + 1 if self._killed else None)

    def to_text(self) -> str:
        """The picture, the readout and the table, as plain text."""
        picture = lay_out(rested()).alt if self._rested else self._flow().alt
        return "\n\n".join((picture, self._readout(), str(self._rows())))

    @shows_faults
    def _on_way(self) -> None:
        self._begin()

    @shows_faults
    def _on_done(self) -> None:
        self._killed = self._ticked = self._rested = False
        self._refresh()

    @shows_faults
    def _on_step(self, steps: int) -> None:
        self._killed = self._ticked = self._rested = False
        self._stand_at(min(max(self.done.value + steps, 0), self.done.max))
        self._refresh()

    @shows_faults
    def _on_kill(self) -> None:
        self._killed, self._ticked, self._rested = True, False, False
        self._refresh()

    @shows_faults
    def _on_tick(self) -> None:
        if not self._killed:
            self._stand_at(self.done.max)
        self._ticked, self._rested = True, False
        self._refresh()

    @shows_faults
    def _on_rest(self) -> None:
        self._rested = True
        self._refresh()

    @shows_faults
    def _on_again(self) -> None:
        self._setting = True
        self.way.value = ENQUEUE_FIRST
        self._setting = False
        self._begin()

    def _begin(self) -> None:
        self._killed = self._ticked = self._rested = False
        self._stand_at(len(STEPS[self.way.value]))
        self._refresh()

    def _stand_at(self, done: int) -> None:
        self._setting = True
        self.done.max = len(STEPS[self.way.value])
        self.done.value = done
        self._setting = False

    def _refresh(self) -> None:
        """Show the run as it is now: the one place where anything is drawn or said."""
        if self._rested:
            self._rail.place(lay_out(rested()))
        else:
            drawn = self._flow()
            self._stage.show(*_styled(drawn), drawn.alt)
        self._stage.view.layout.display = "none" if self._rested else ""
        self._rail.view.layout.display = "" if self._rested else "none"
        self._table.value = scrolling(self._rows()._repr_html_(), "Steps")
        self.live.text = self._readout()
        self.live.attributes = named_slider("done", "Steps done", self._stands()) | pressed("way", self.way)

    def _flow(self) -> flow.Flow:
        return flow.lay_out(self.run(), self.done.value, self._ticked)

    def _stands(self) -> str:
        done, names = self.done.value, STEPS[self.way.value]
        last = f": {advance_readout.STEP_NAMES[names[done - 1]]}" if done else ""
        return f"{done} of {len(names)}{last}"

    def _readout(self) -> str:
        if self._rested:
            return advance_readout.drift(rested())
        run, done = self.run(), self.done.value
        told = [f"{WAYS[run.way]}. Steps done: {self._stands()}."]
        if self._ticked:
            told.append(advance_readout.fate(run))
        elif self._killed:
            told.append("The pump is killed here. The next tick shows what becomes of the occurrence.")
        elif run.answer is not None and done == self.done.max:
            told.append(f"The sweep fired {run.answer.fired}.")
        sent = sum(each.step is not None for each in run.steps[:done])
        next_run, jobs = advance_readout.state(run.trace, len(run.trace.steps) if self._ticked else sent)
        told.append(f"The registry says {NAME} at {next_run}; pending: {jobs}.")
        return "\n".join(told)

    def _rows(self) -> Table:
        if self._rested:
            return readout.rewrites(rested().trace)
        return advance_readout.steps(self.run(), self.done.value, ticked=self._ticked)


def _styled(drawn: flow.Flow) -> tuple[dict[str, str], dict[str, str]]:
    """The style of every part by gid, and the words."""
    styles = {f"row{row}-box-{n}": "visibility:hidden" for row in range(flow.ROWS) for n in range(flow.BOXES)}
    styles |= dict.fromkeys(("kill", "kill-label"), "visibility:hidden")
    words = {}
    for row, told in enumerate(drawn.rows):
        words[f"row{row}-title"] = told.title
        for n, box in enumerate(told.boxes):
            styles[f"row{row}-box-{n}"] = ""
            styles[f"row{row}-box-{n} path"] = (
                f"fill-opacity:{0.25 if box.done else 0}!important;stroke-dasharray:{'none' if box.done else '3 3'}"
            )
            words |= {f"row{row}-name-{n}": box.name, f"row{row}-word-{n}": box.word}
            words |= {f"row{row}-next-{n}": box.held[0], f"row{row}-jobs-{n}": box.held[1]}
        if told.killed_after is not None:
            at = f"transform:translate({flow.kill_x(told.killed_after) * flow.ACROSS:.2f}px,0)"
            styles |= {"kill": at, "kill-label": at}
            words["kill-label"] = "✕ killed"
    return styles, words
