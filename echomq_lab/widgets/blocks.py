"""A Parsons problem: the blocks of @register, to be put in an order by keyboard or pointer, and run.

The answer of the exercise is the line that the reader pastes. The widget writes it down and never says whether it is
right; "Try this order" shows what the order does.

Source: exercises, 2.2; widgets, 6.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import anywidget
import ipywidgets
import traitlets

from echomq_lab.clock import FixedClock
from echomq_lab.errors import ArgumentError
from echomq_lab.readout import Table
from echomq_lab.scenario import BLOCKS, try_order
from echomq_lab.store import FAKEREDIS, connect
from echomq_lab.trace import Trace
from echomq_lab.widgets import block_words
from echomq_lab.widgets.app import App, scrolling, shows_faults

EXERCISE, QUEUE, ANSWER = "2.2", "exercise-2-2", "register_order"
_HERE = resources.files("echomq_lab.widgets")
_STEPS = {"up": -1, "down": 1}
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def blocks(exercise: str = EXERCISE) -> Blocks:
    """Put the blocks of an exercise in an order, take the line that says it, and try what the order does.

    Raises an `ArgumentError` for an exercise without blocks. Source: widgets, 6.
    """
    if exercise != EXERCISE:
        raise ArgumentError("exercise", exercise, f"one with blocks: {EXERCISE!r}")
    return Blocks()


class Lists(anywidget.AnyWidget):
    """The two lists, and the line to paste. Sends `{"block": letter, "to": place}` and `{"copied": bool}`."""

    _esm = _HERE.joinpath("blocks.js").read_text(encoding="utf-8")
    _css = _HERE.joinpath("blocks.css").read_text(encoding="utf-8")

    code = traitlets.Dict().tag(sync=True)
    order = traitlets.List(traitlets.Unicode()).tag(sync=True)
    line = traitlets.Unicode().tag(sync=True)


class Blocks(App):
    """The app: `.order` are the letters in the script, `.trace` what the order tried last executed or None.

    `.to_text()` tells all that the app shows.
    """

    def __init__(self) -> None:
        super().__init__()
        self.trace: Trace | None = None
        self._tried: Table | None = None
        self.lists = Lists(code=BLOCKS)
        self.tries = ipywidgets.Button(
            description="Try this order", layout={"width": "auto", "align_self": "flex-start"}
        )
        self._table = ipywidgets.HTML()
        self._table.add_class("echomq-tried")
        self.children = (self.lists, self.tries, self.fault, self.live, self._table)
        self.lists.on_msg(lambda _, content, __: self._on_message(content))
        self.tries.on_click(lambda _: self._on_try())
        self._stand([], "No block is in the script yet.")

    @property
    def order(self) -> list[str]:
        """The letters of the blocks in the script, first line first."""
        return list(self.lists.order)

    def move(self, letter: str, to: str | int) -> None:
        """Move a block: "up" or "down" in the script, "in" at its end, "out" of it, or to a place in it, from 0.

        Raises an `ArgumentError` for a letter that names no block and for another place.
        """
        if letter not in BLOCKS:
            raise ArgumentError("a block", letter, f"one of {', '.join(map(repr, BLOCKS))}")
        order = self.order
        at = order.index(letter) if letter in order else None
        others = [each for each in order if each != letter]
        if to == "out":
            self._stand(others, f"{letter} is left over.")
            return
        if to in _STEPS:
            if at is None:
                self._stand(order, f"{letter} is left over: put it in first.")
                return
            to = at + _STEPS[str(to)]
        elif to == "in":
            to = len(others)
        if type(to) is not int:
            raise ArgumentError("to", to, "'up', 'down', 'in', 'out' or a place from 0")
        place = min(max(to, 0), len(others))
        others.insert(place, letter)
        already = " already" if others == order else ""
        self._stand(others, f"{letter} is {_ORDINALS[place]} of {len(others)}{already}.")

    def to_text(self) -> str:
        """The two lists, the line to paste, the readout and what the last order did, as plain text."""
        told = [block_words.lists(self.order), f"Line to paste: {self.lists.line}", self.live.text]
        return "\n\n".join(told if self._tried is None else [*told, str(self._tried)])

    @shows_faults
    def _on_message(self, content: Any) -> None:
        if "copied" in content:
            self.live.text = "Copied." if content["copied"] else "The line is selected: copy it with Ctrl+C or Cmd+C."
        else:
            self.move(content["block"], content["to"])

    @shows_faults
    def _on_try(self) -> None:
        with connect(FAKEREDIS, clock=FixedClock("08:50")) as conn:
            self.trace = try_order(conn, QUEUE, self.order)
        self._tried = block_words.boots(self.trace, self.order)
        self._table.value = scrolling(self._tried._repr_html_(), "Two boots")
        self.live.text = block_words.told(self.trace, self.order)

    def _stand(self, order: list[str], said: str) -> None:
        with self.lists.hold_sync():
            self.lists.order = order
            self.lists.line = f"{ANSWER} = {json.dumps(order)}"
        self.live.text = said
