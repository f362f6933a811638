"""A prediction: what a reader may say before a run, and how it compares with what the run gave.

    asked = Prediction("1.1", "When does the cron rule run next?", "times", 1)
    said = asked.read("09:05")          (1767603900000,)
    asked.compare(said, "09:00")        you said 09:05, it came 09:00: late by 5 minutes

Times are Unix milliseconds. Items are compared one by one, in the order in which they are asked for.

Source: exercises, "Predict"; widgets, 7.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypeAlias

from echomq_lab import arguments
from echomq_lab.clock import LAB_DAY_MS, instant_ms
from echomq_lab.errors import ArgumentError, plain
from echomq_lab.readout import Table
from echomq_lab.wording import clock_time, span

KINDS = ("times", "numbers", "choice")
#: More than that nobody predicts one by one.
MOST_ITEMS = 20
NO_POINTS = "A prediction carries no points."
NOT_RECORDED = (
    "No prediction was recorded. Say what you expect in the cell above, press Record, and run this cell again."
)

#: A time in Unix ms, a number, or the option chosen.
Item: TypeAlias = int | str

_EXAMPLES = {"times": ("08:50", "2026-01-07 12:00", "2026-01-08 12:00"), "numbers": ("0", "1", "2")}
# As Python writes it, and no longer than an int64.
_WHOLE = re.compile(r"[+-]?[0-9](?:_?[0-9]){0,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What is asked: of `exercise`, a `question` whose answer is `count` times or numbers, or one of `options`.

    `kind` is one of `KINDS`. `names`, where given, are what the times or numbers are called, in the order in which they
    are asked for. Raises an `ArgumentError` for what cannot be asked.
    """

    exercise: str
    question: str
    kind: str = "times"
    count: int = 1
    options: Sequence[str] = ()
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        arguments.name("exercise", self.exercise, "try '1.1'")
        arguments.name("question", self.question, "try 'When does it run next?'")
        if self.kind not in KINDS:
            raise ArgumentError("kind", self.kind, f"one of {', '.join(map(repr, KINDS))}")
        arguments.whole("count", self.count, 1, MOST_ITEMS, "a whole number")
        arguments.instance("options", self.options, (list, tuple), "a list of texts", "try ['hit', 'miss']")
        for place, option in enumerate(self.options):
            arguments.name(f"options[{place}]", option, "try 'registered'")
        arguments.instance("names", self.names, (list, tuple), "a list of texts", "try ['cron', 'interval']")
        for place, each in enumerate(self.names):
            arguments.name(f"names[{place}]", each, "try 'cron'")
        if self.names and (self.kind == "choice" or len(self.names) != self.count):
            raise ArgumentError("names", self.names, "a name for each time or number, or left out")
        if self.kind != "choice":
            if self.options:
                raise ArgumentError("options", self.options, f"left out for {self.kind}", "try kind='choice'")
        elif len(set(self.options)) != len(self.options) or len(self.options) < 2:
            raise ArgumentError("options", self.options, "two or more different texts", "try ['hit', 'miss']")
        elif self.count != 1:
            raise ArgumentError("count", self.count, "1 for a choice", "one option is chosen")

    @property
    def takes(self) -> str:
        """What the reader may say, in words."""
        if self.kind == "choice":
            return f"one of {', '.join(map(repr, self.options))}"
        if self.count > 1:
            return f"{self.count} {self.kind} with commas between" + (
                f" ({', '.join(self.names)})" if self.names else ""
            )
        return "a time" if self.kind == "times" else "a whole number"

    @property
    def example(self) -> str:
        """What the form of an answer is; it answers nothing."""
        if self.kind == "choice":
            return "choose one of them"
        examples = _EXAMPLES[self.kind][: min(self.count, 3)]
        if self.kind == "times" and self.count == 1:
            return "try '08:50' or '2026-01-07 12:00'"
        return f"try '{', '.join(examples)}{', ...' if self.count > 3 else ''}'"

    def read(self, text: str) -> tuple[Item, ...]:
        """The items that a reader typed or chose. Raises an `ArgumentError` that says which of them cannot be read."""
        text = arguments.text("your prediction", text)
        if self.kind == "choice":
            return (self._item("your prediction", text),)
        parts = [part.strip() for part in text.split(",") if part.strip()]
        if len(parts) != self.count:
            raise ArgumentError("your prediction", text, self.takes, self.example)
        of = self.count
        names = [self._name(place, of) if of > 1 or self.names else "your prediction" for place in range(1, of + 1)]
        if self.kind == "times":
            return tuple(instant_ms(_typed(part), name) for name, part in zip(names, parts, strict=True))
        return tuple(_whole(name, part) for name, part in zip(names, parts, strict=True))

    def compare(self, said: Sequence[Item] | None, came: object) -> Table:
        """What was said beside what came, a row each, with a verdict in words; `said` is None where nothing was.

        `came` is one value or a list of them: times as `FixedClock` takes them, whole numbers, an option. Raises an
        `ArgumentError` for anything else.
        """
        pairs = list(zip_longest(said or (), self._came(came)))
        rows = tuple(
            (self._name(place, len(pairs)), self._cell(mine), self._cell(its), self._verdict(mine, its))
            for place, (mine, its) in enumerate(pairs, 1)
        )
        hits = sum(row[-1] == "hit" for row in rows)
        return Table(
            f"Exercise {self.exercise}: {hits} of {len(rows)} hit",
            ("item", "you said", "what came", "verdict"),
            rows,
            (NO_POINTS,) if said else (NOT_RECORDED, NO_POINTS),
        )

    def told(self, said: Sequence[Item]) -> str:
        """What was said, in a line."""
        return ", ".join(map(self._cell, said))

    def _came(self, came: object) -> list[Item]:
        several = isinstance(came, list | tuple)
        values: Sequence[object] = came if isinstance(came, list | tuple) else [came]
        if self.kind == "choice" and len(values) != 1:
            raise ArgumentError("came", came, self.takes)
        return [self._item(f"came[{place}]" if several else "came", value) for place, value in enumerate(values)]

    def _item(self, thing: str, value: Any) -> Item:
        value = plain(value)
        if self.kind == "times":
            return instant_ms(value, thing)
        if self.kind == "numbers":
            if type(value) is int:
                return value
            raise ArgumentError(thing, value, "a whole number")
        if type(value) is str and value in self.options:
            return value
        raise ArgumentError(thing, value, self.takes, self.example)

    def _name(self, place: int, of: int) -> str:
        if place <= len(self.names):
            return self.names[place - 1]
        one = {"times": "time", "numbers": "number", "choice": "choice"}[self.kind]
        return one if of == 1 else f"{one} {place}"

    def _cell(self, item: Item | None) -> str:
        if item is None:
            return "nothing"
        return clock_time(int(item), seen_from_ms=LAB_DAY_MS) if self.kind == "times" else str(item)

    def _verdict(self, said: Item | None, came: Item | None) -> str:
        if said is None:
            return "missing"
        if came is None:
            return "one too many"
        if said == came:
            return "hit"
        if self.kind == "choice":
            return "another"
        off = int(said) - int(came)
        if self.kind == "times":
            return f"early by {span(-off)}" if off < 0 else f"late by {span(off)}"
        return f"too low by {-off}" if off < 0 else f"too high by {off}"


def _typed(text: str) -> str | int:
    """A typed time: digits alone are milliseconds."""
    return int(text) if _WHOLE.fullmatch(text) else text


def _whole(thing: str, text: str) -> int:
    if _WHOLE.fullmatch(text):
        return int(text)
    raise ArgumentError(thing, text, "a whole number", "try '15'")
