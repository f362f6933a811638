"""Say what will come, run, and see how near it was: a prediction is recorded before the run and compared with it.

Source: exercises, "Predict"; widgets, 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any

import anywidget
import ipywidgets
import traitlets

from echomq_lab.errors import LabError
from echomq_lab.prediction import NO_POINTS, Item, Prediction
from echomq_lab.readout import Table
from echomq_lab.trace import Trace, takes_trace
from echomq_lab.widgets.app import App, scrolling, shows_faults

_HERE = resources.files("echomq_lab.widgets")
_HINTS = {
    "times": "A clock time such as 08:50 is one of the lab's day; 2026-01-07 12:00 and Unix ms are read too.",
    "numbers": "Whole numbers.",
    "choice": "Choose one.",
}


def predict(
    exercise: str,
    question: str,
    kind: str = "times",
    count: int = 1,
    options: Sequence[str] = (),
    names: Sequence[str] = (),
) -> Predict:
    """Ask for a prediction: `count` times or whole numbers, or with kind "choice" one of `options`.

    `kind` is "times", "numbers" or "choice"; `names` are what the items are called, in the order in which they are
    asked for. Times are typed as `FixedClock` takes them. What was recorded is compared with a run by
    `Predict.compare`; it carries no points, and the cell run again begins anew.
    Raises an `ArgumentError` for what cannot be asked. Source: widgets, 7.
    """
    return Predict(Prediction(exercise, question, kind, count, options, names))


class Field(anywidget.AnyWidget):
    """The box or the buttons, and Record: sends `{"record": text}`. `closed` when something is recorded."""

    _esm = _HERE.joinpath("predict.js").read_text(encoding="utf-8")
    _css = _HERE.joinpath("predict.css").read_text(encoding="utf-8")

    question = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    hint = traitlets.Unicode().tag(sync=True)
    options = traitlets.List(traitlets.Unicode()).tag(sync=True)
    said = traitlets.Unicode().tag(sync=True)
    wrong = traitlets.Bool(default_value=False).tag(sync=True)
    closed = traitlets.Bool(default_value=False).tag(sync=True)


class Predict(App):
    """The app: `.recorded` is the prediction (times in Unix ms) or None, `.to_text()` all that the app shows.

    `.trace` is the run that it was compared with, where `compare` was given one.
    """

    def __init__(self, asked: Prediction) -> None:
        super().__init__()
        self.recorded: tuple[Item, ...] | None = None
        self.trace: Trace | None = None
        self._asked = asked
        self._compared: Table | None = None
        self.field = Field(
            question=f"Predict, exercise {asked.exercise}: {asked.question}",
            label=_label(asked),
            hint=f"{'Commas between. ' if asked.count > 1 else ''}{_HINTS[asked.kind]} Then press Record. {NO_POINTS}",
            options=list(asked.options),
        )
        self._table = ipywidgets.HTML()
        self.children = (self.field, self.fault, self.live, self._table)
        self.field.on_msg(lambda _, content, __: self._on_record(content))
        self._refresh()

    def to_text(self) -> str:
        """The question, what was recorded, and the comparison, as plain text."""
        told = [self.field.question, self._readout()]
        return "\n\n".join(told if self._compared is None else [*told, str(self._compared)])

    def record(self, text: str) -> None:
        """Record what a reader typed or chose, as `Record` does.

        Raises an `ArgumentError` for what cannot be read, and a `LabError` when something is recorded already.
        """
        if self.recorded is not None:
            raise LabError("your prediction is recorded already; run its cell again to begin anew")
        self.recorded = self._asked.read(text)
        # A comparison that came before it was one with nothing.
        self._compared = self.trace = None
        self.field.said = text
        self._refresh()

    def compare(self, came: object, trace: Trace | None = None) -> Table:
        """Compare with what the run gave: a row for each item, with "hit", "early by 5 minutes", "missing" and so on.

        `came` is one value or a list: times as `FixedClock` takes them, whole numbers, or an option; `trace` is kept as
        `.trace`. Without a prediction every item is "missing". Raises an `ArgumentError` for another `came` or `trace`.
        """
        if trace is not None:
            takes_trace(trace)
        self._compared = self._asked.compare(self.recorded, came)
        self.trace = trace
        self._refresh()
        return self._compared

    @shows_faults
    def _on_record(self, content: Any) -> None:
        with self.field.hold_sync():
            self.field.wrong = True
            self.record(content["record"])
            self.field.wrong = False

    def _refresh(self) -> None:
        """Show what is recorded and how it compares: the one place where anything is drawn or said."""
        self.field.closed = self.recorded is not None
        compared = self._compared
        self._table.value = "" if compared is None else scrolling(compared._repr_html_(), "Prediction and run")
        self.live.text = self._readout()

    def _readout(self) -> str:
        told = "Nothing is recorded yet."
        if self.recorded is not None:
            told = f"Recorded: {self._asked.told(self.recorded)}."
        if self._compared is None:
            return told
        verdicts = ", ".join(f"{row[0]} {row[-1]}" for row in self._compared.rows)
        return f"{told}\n{self._compared.caption} ({verdicts or 'nothing came'})."


def _label(asked: Prediction) -> str:
    one = f"{asked.count} {asked.kind}" if asked.count > 1 else asked.kind[:-1].title()
    if asked.names:
        one = f"{one}: {', '.join(asked.names)}"
    return f"{one} (UTC)" if asked.kind == "times" else one
