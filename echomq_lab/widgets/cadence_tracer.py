"""Dive 1's widget: two rules over one clock that the reader moves.

Above, the cron lane; below, the interval's, whose first mark is the score that `register` or a sweep wrote, on a
store of the widget's own. The clock moves without running anything; only Sweep releases what is due.

Source: seed 001, "Trace each cadence over a fixed clock"; widgets, 1.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import ipywidgets

from echomq_lab import readout
from echomq_lab.cadence import Cron
from echomq_lab.clock import MAX_MS, FixedClock, instant_ms
from echomq_lab.errors import LabError
from echomq_lab.layout import lay_out
from echomq_lab.scenario import CadenceRun, Cadences
from echomq_lab.store import FAKEREDIS, connect
from echomq_lab.trace import Trace
from echomq_lab.widgets.app import App, scrolling, shows_faults
from echomq_lab.widgets.cadence_controls import BOTH, NIGHTS, SPANS, Controls
from echomq_lab.widgets.stage import RailStage
from echomq_lab.wording import clock_time

QUEUE = "dive-1"
_RUNS = 5


def cadence_tracer(
    now: str | int = "08:50", cron: str = "0 9 * * *", every_ms: int = 900_000, tz: str = "UTC"
) -> CadenceTracer:
    """Trace a cron rule and an interval over a clock that you move.

    `now` is an instant as `FixedClock` takes it, `every_ms` the gap in ms, `tz` the zone of the cron rule.
    Raises a `LabError` for what none of them may be. Source: widgets, 1.
    """
    conn = connect(FAKEREDIS, clock=FixedClock(now))
    return CadenceTracer(Cadences(conn, QUEUE, cron=Cron(cron, tz), every_ms=every_ms))


class CadenceTracer(App):
    """The app over a `Cadences` run: `.trace` is what the store executed, `.to_text()` all that the app shows."""

    def __init__(self, run: Cadences) -> None:
        super().__init__()
        self._run = run
        self._start_ms = self._left_ms = run.clock.now_ms()
        # What is set by the app itself is no wish of the reader's.
        self._setting = False
        self._stage = RailStage(("cron", "interval"), _RUNS)
        self._table = ipywidgets.HTML()
        self._table.add_class("echomq-marks")
        self._controls = Controls(run.cron, run.gap.every_ms)
        self.children = (*self._controls.rows(), self.fault, self._stage.view, self.live, self._table)
        self._listen()
        self._anchor()
        self._refresh()

    @property
    def trace(self) -> Trace:
        """Every command that went out since the app was made."""
        return self._run.trace

    def run(self) -> CadenceRun:
        """What the two rules name next, at the clock's now."""
        return self._run.run(_RUNS)

    def to_text(self) -> str:
        """The picture, what is wrong with the rule, the readout and the table, as plain text."""
        run = self.run()
        alt = lay_out(run, self._window(), self._lit()).alt
        wrong = self._controls.wrong
        said = "" if wrong and self.live.text == spoken(wrong) else self.live.text
        told = (alt, str(wrong or ""), said, readout.verdicts(run), str(self._rows(run)))
        # What was said last is often the verdicts.
        return "\n\n".join(dict.fromkeys(filter(None, told)))

    def _listen(self) -> None:
        controls = self._controls
        for widget, handler in {
            controls.lit: self._on_choice,
            controls.span: self._on_span,
            controls.expr: self._on_rule,
            controls.zone: self._on_rule,
            controls.example: self._on_example,
            controls.night: self._on_night,
            controls.gap: self._on_gap,
            controls.clock: self._on_clock,
            controls.play: self._on_play,
        }.items():
            widget.observe(self._unless_setting(handler), "value")
        self.live.observe(lambda _: self._on_step(1), "beat")
        controls.repair.on_click(lambda _: self._on_repair())
        for name, act in {
            "random": self._on_random,
            "back": lambda: self._on_step(-1),
            "on": lambda: self._on_step(1),
            "on_1_ms": self._on_1_ms,
            "to_slot": lambda: self._on_next(0),
            "to_run": lambda: self._on_next(1),
            "sweep": self._on_sweep,
            "again": self._on_again,
        }.items():
            controls.buttons[name].on_click(lambda _, act=act: act())

    def _unless_setting(self, handler: Callable[[], None]) -> Callable[[object], None]:
        return lambda _: None if self._setting else handler()

    @shows_faults
    def _on_choice(self) -> None:
        self._refresh()

    @shows_faults
    def _on_span(self) -> None:
        self._anchor()
        self._refresh()

    @shows_faults
    def _on_rule(self) -> None:
        self._rule(self._controls.expr.value, self._controls.zone.value)

    @shows_faults
    def _on_example(self) -> None:
        if self._controls.example.value:
            self._rule(self._controls.example.value, self._controls.zone.value)

    @shows_faults
    def _on_random(self) -> None:
        self._rule(random_expression(), self._controls.zone.value)

    @shows_faults
    def _on_repair(self) -> None:
        self._rule(self._controls.mended or self._controls.expr.value, self._controls.zone.value)
        # Its button is gone, and the keyboard would be nowhere.
        self._controls.expr.focus()

    @shows_faults
    def _on_night(self) -> None:
        if night := NIGHTS.get(self._controls.night.value):
            self._run.move(instant_ms(night.now))
            self._run.register(self._run.gap.every_ms)
            self._rule(night.expr, night.tz)

    @shows_faults
    def _on_gap(self) -> None:
        self._run.register(self._controls.gap.value * 60_000)
        self._refresh()

    @shows_faults
    def _on_clock(self) -> None:
        self._run.move(self._left_ms + self._controls.clock.value * self._step_ms())
        self._refresh()

    @shows_faults
    def _on_play(self) -> None:
        self.live.playing = self._controls.play.value
        self.live.attributes = self._controls.attributes(self._time())

    @shows_faults
    def _on_step(self, steps: int) -> None:
        self._move(self._run.clock.now_ms() + steps * self._step_ms())

    @shows_faults
    def _on_1_ms(self) -> None:
        self._move(self._run.clock.now_ms() + 1)

    @shows_faults
    def _on_next(self, lane: int) -> None:
        self._move(self.run().lanes[lane].marks_ms[0])

    @shows_faults
    def _on_sweep(self) -> None:
        done = self._run.sweep()
        self._refresh(f"The sweep fired {done.fired}." + ("" if done.fired else " Nothing was due."))

    @shows_faults
    def _on_again(self) -> None:
        self._controls.play.value = False
        self._set(self._controls.night, "")
        self._run.move(self._start_ms)
        self._run.register(self._run.gap.every_ms)
        self._anchor()
        self._refresh()

    def _move(self, to_ms: int) -> None:
        self._run.move(min(max(to_ms, 0), MAX_MS))
        self._anchor(only_if_outside=True)
        self._refresh()

    def _rule(self, expr: str, tz: str) -> None:
        """Take a rule, or show at its field what is wrong with it and keep the last good one."""
        try:
            self._run.cron = Cron(expr, tz)
        except LabError as error:
            self._controls.show_problem(error)
            self._voice(spoken(error))
            return
        self._set(self._controls.expr, expr)
        self._set(self._controls.zone, tz)
        self._controls.show_problem(None)
        # A choice that no longer holds can be made again.
        if self._controls.example.value != expr:
            self._set(self._controls.example, "")
        if NIGHTS.get(self._controls.night.value, (tz, expr))[:2] != (tz, expr):
            self._set(self._controls.night, "")
        self._anchor(only_if_outside=True)
        self._refresh()

    def _refresh(self, news: str = "") -> None:
        """Show the run as it is now: the one place where anything is drawn or said."""
        run = self.run()
        self._stage.place(lay_out(run, self._window(), self._lit()))
        self._table.value = scrolling(self._rows(run)._repr_html_(), "Next runs")
        steps = (run.now_ms - self._left_ms) // self._step_ms()
        self._set(self._controls.clock, steps)
        self._controls.face.value = f"<b>{self._time()}</b> UTC"
        self._voice("\n".join(filter(None, (news, readout.verdicts(run)))))

    def _voice(self, text: str) -> None:
        self.live.text = text
        self.live.attributes = self._controls.attributes(self._time())

    def _time(self) -> str:
        """The clock's time, with the day where it is not the one on which the app began."""
        return clock_time(self._run.clock.now_ms(), seen_from_ms=self._start_ms)

    def _rows(self, run: CadenceRun) -> readout.Table:
        lit = self._lit()
        return readout.marks(replace(run, lanes=tuple(lane for lane in run.lanes if lit in (None, lane.kind))))

    def _lit(self) -> str | None:
        chosen: str = self._controls.lit.value
        return None if chosen == BOTH else chosen

    def _step_ms(self) -> int:
        return SPANS[self._controls.span.value][1]

    def _window(self) -> tuple[int, int]:
        return self._left_ms, self._left_ms + SPANS[self._controls.span.value][0]

    def _anchor(self, *, only_if_outside: bool = False) -> None:
        """Lay the rail's left edge a little before now, and the slider's range over the rail."""
        now_ms, (left_ms, right_ms) = self._run.clock.now_ms(), self._window()
        if only_if_outside and left_ms <= now_ms <= right_ms:
            return
        span_ms, step_ms = SPANS[self._controls.span.value]
        self._left_ms = max(0, now_ms - now_ms % step_ms - max(span_ms // 12 // step_ms, 1) * step_ms)
        self._set(self._controls.clock, min(self._controls.clock.value, span_ms // step_ms))
        self._controls.clock.max = span_ms // step_ms

    def _set(self, widget: ipywidgets.Widget, value: object) -> None:
        self._setting = True
        try:
            widget.value = value
        finally:
            self._setting = False


def spoken(error: LabError) -> str:
    """An error without the line of its caret, which is for the eye."""
    return "\n".join(line for line in str(error).split("\n") if line.strip(" ^"))


def random_expression() -> str:
    """A cron expression of the kind that people write."""
    minute = random.choice(("0", "30", "*/5", "*/20", "5/15", "10-40/10", "0,30", str(random.randrange(60))))
    hour = random.choice(("*", "*/2", "9", "9-17", "0,12", str(random.randrange(24))))
    day, weekday = random.choice((("*", "*"), ("*", "MON-FRI"), ("1", "*"), ("*", "SUN"), ("1,15", "*"), ("13", "FRI")))
    month = random.choice(("*", "*", "*", "JAN", "*/3"))
    return f"{minute} {hour} {day} {month} {weekday}"
