"""Dive 2's widget: a service that the reader boots, and what each boot leaves in the registry.

Each way of adding has a store and a clock of its own and begins with the same two boots, a minute apart, so that they
can be compared. Nothing runs by itself.

Source: seed 000, "The upsert"; widgets, 2.
"""

from __future__ import annotations

import ipywidgets

from echomq_lab.clock import FixedClock, instant_ms
from echomq_lab.errors import ArgumentError
from echomq_lab.readout import Table
from echomq_lab.scenario import BootRun, Boots, Order, Schedule, Way
from echomq_lab.store import FAKEREDIS, connect
from echomq_lab.trace import Trace
from echomq_lab.widgets import boot_words
from echomq_lab.widgets.app import App, scrolling, shows_faults
from echomq_lab.widgets.boot_controls import BootControls
from echomq_lab.widgets.boot_ladder import MOST_BOOTS, LadderStage, Scene
from echomq_lab.wording import clock_time

QUEUE = "dive-2"
NAME = "daily-report"
_MINUTE_MS = 60_000


def boot_tracer(now: str | int = "08:50", every_ms: int = 900_000) -> BootTracer:
    """Boot a service that registers one schedule, and see what the store executed and holds.

    `now` is an instant as `FixedClock` takes it; `every_ms` is the period, 1 to 60 whole minutes in ms, and also the
    wait until the first run. Raises an `ArgumentError` for anything else. Source: widgets, 2.
    """
    if type(every_ms) is not int or every_ms not in range(_MINUTE_MS, 61 * _MINUTE_MS, _MINUTE_MS):
        raise ArgumentError("every_ms", every_ms, "1 to 60 whole minutes in ms", "fifteen minutes are 900000")
    return BootTracer(instant_ms(now, "now"), every_ms)


class BootTracer(App):
    """The app: `.trace` is what the store of the chosen way executed, `.to_text()` all that the app shows."""

    def __init__(self, now_ms: int, every_ms: int) -> None:
        super().__init__()
        self._start_ms = now_ms
        self._every_ms = every_ms
        self._log: dict[Way, list[BootRun]] = {}
        self._services: dict[Way, Boots] = {}
        self._controls = BootControls(every_ms)
        self._stage = LadderStage()
        self._twins = ipywidgets.HTML()
        self.children = (*self._controls.rows(), self.fault, self._stage.view, self.live, self._twins)
        self._controls.way.observe(lambda _: self._on_way(), "value")
        self._controls.gap.observe(lambda _: self._on_gap(), "value")
        for name, act in {
            "boot": lambda: self._on_boot(0),
            "later": lambda: self._on_boot(_MINUTE_MS),
            "fifty": lambda: self._on_boot(0, 50),
            "cancel": self._on_cancel,
            "sweep": self._on_sweep,
            "empty": self._on_empty,
        }.items():
            self._controls.buttons[name].on_click(lambda _, act=act: act())
        self._on_way()

    @property
    def trace(self) -> Trace:
        """Every command that went out in the chosen way since its store was made."""
        return self._service().trace

    def to_text(self) -> str:
        """The picture, the readout and the tables, as plain text."""
        return "\n\n".join((self._scene().alt, self._readout(), *map(str, self._tables())))

    @shows_faults
    def _on_way(self) -> None:
        if self._way() not in self._services:
            self._make()
            self._boot(0)
            self._boot(_MINUTE_MS)
        self._refresh()

    @shows_faults
    def _on_gap(self) -> None:
        self._every_ms = self._controls.gap.value * _MINUTE_MS
        self._stage.place(self._scene())
        self.live.attributes = self._controls.attributes()

    @shows_faults
    def _on_boot(self, later_ms: int, times: int = 1) -> None:
        self._boot(later_ms, times)
        self._refresh()

    @shows_faults
    def _on_cancel(self) -> None:
        self._calls().append(self._service().cancel())
        self._refresh()

    @shows_faults
    def _on_sweep(self) -> None:
        self._calls().append(self._service().sweep())
        self._refresh()

    @shows_faults
    def _on_empty(self) -> None:
        self._make()
        self._refresh()

    def _make(self) -> None:
        """Give the chosen way an empty store and a clock at the start."""
        way = self._way()
        if way in self._services:
            self._services[way].conn.close()
        self._services[way] = Boots(connect(FAKEREDIS, clock=FixedClock(self._start_ms)), QUEUE, [], way)
        self._log[way] = []

    def _boot(self, later_ms: int, times: int = 1) -> None:
        service = self._service()
        service.schedules = [Schedule(NAME, self._every_ms, "{}", self._every_ms)]
        service.wait(later_ms)
        if times > 1:
            self.live.text = f"{times} boots at once are under way."
        self._calls().append(service.boot(times, order=Order.THREADS if times > 1 else Order.SEQUENCE))

    def _way(self) -> Way:
        return Way(self._controls.way.value)

    def _service(self) -> Boots:
        return self._services[self._way()]

    def _calls(self) -> list[BootRun]:
        return self._log[self._way()]

    def _refresh(self) -> None:
        """Show the chosen way as it is now: the one place where anything is drawn or said."""
        self._stage.place(self._scene())
        last, calls = self._tables()
        self._twins.value = scrolling(last._repr_html_(), "Before and after") + scrolling(calls._repr_html_(), "Calls")
        self._controls.face.value = f"<b>{clock_time(self._service().conn.now_ms())}</b> UTC"
        self.live.text = self._readout()
        self.live.attributes = self._controls.attributes()

    def _scene(self) -> Scene:
        service, log = self._service(), self._calls()
        last = log[-1] if log else None
        return Scene(
            self._way(),
            QUEUE,
            [run for run in log if run.boots][-MOST_BOOTS:],
            last.scores() if last else {},
            last.scores(before=True) if last else {},
            service.conn.now_ms(),
            2 * self._every_ms,
            sum(run.answers.count("fired") for run in log),
        )

    def _readout(self) -> str:
        log = self._calls()
        if not log:
            return "The store is empty: no boot yet."
        return f"{boot_words.told(log[-1], self._way())}\n{boot_words.standing(log[-1], log)}"

    def _tables(self) -> tuple[Table, Table]:
        log = self._calls()
        last = boot_words.before_and_after(log[-1]) if log else boot_words.nothing(QUEUE)
        return last, boot_words.calls(log, self._way())
