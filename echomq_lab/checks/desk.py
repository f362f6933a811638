"""What a test asks a student's answers through: questions out, plain values back.

    desk.value("cron_next_ms")                       what a name holds
    desk.call("next_cron", "0 9 * * *", now_ms)      what a function answers
    desk.run(given, acts, now_ms=...)                a run on the store that the desk stands at

Source: grading, "asks the child questions as JSON"; exercises, "Store exercises".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from echomq_lab.checks.plain import Odd, pack, unpack
from echomq_lab.checks.pupil import Pupil
from echomq_lab.errors import shown
from echomq_lab.store import FAKEREDIS

#: The queue of every run. Its braces' content is all that its keys must share.
QUEUE = "checked"
#: What a key of the queue held: see `trace.Held`.
Held: TypeAlias = Any
Keys: TypeAlias = Mapping[str, Held]
Word: TypeAlias = str | bytes | int | float


@dataclass(frozen=True, slots=True)
class Raised:
    """An error of the student's code: its type, its words, the line of the notebook, whether the lab raised it."""

    type: str
    words: str
    line: str
    lab: bool

    def __str__(self) -> str:
        told = self.words if self.lab and self.words else f"it raised {self.type}: {self.words}".removesuffix(": ")
        return f"{told} (in the line: {self.line})" if self.line else told


@dataclass(frozen=True, slots=True)
class Heard:
    """What an answer said: a plain value or `Odd`, or what it raised; and the beginning of what it printed."""

    value: Any
    raised: Raised | None = None
    printed: str = ""

    @property
    def errors(self) -> tuple[Raised, ...]:
        """What went wrong in the student's code."""
        return (self.raised,) if self.raised else ()

    @property
    def told(self) -> str:
        """The value as it is shown, and how it came if it was printed instead of returned."""
        if self.raised:
            return str(self.raised)
        if self.value is None and self.printed.strip():
            return f"None; it printed {shown(self.printed.strip(), 60)} and returned nothing"
        return told(self.value)


@dataclass(frozen=True, slots=True)
class Act:
    """What one act of a run did: see `on_store`."""

    heard: Heard
    other: Heard | None
    calls: tuple[tuple[str, ...], ...]
    sent: int
    minted: tuple[str, ...]
    after: Keys

    @property
    def killed(self) -> bool:
        """Whether the process died in this act, as it was meant to."""
        return self.heard.raised is not None and self.heard.raised.type == "Killed"


@dataclass(frozen=True, slots=True)
class Ran:
    """A run: the queue's keys as set up, and its acts."""

    before: Keys
    acts: tuple[Act, ...]

    @property
    def errors(self) -> tuple[Raised, ...]:
        """What went wrong in the student's code, kills aside."""
        heards = [each for act in self.acts for each in (act.heard, act.other) if each is not None]
        return tuple(each.raised for each in heards if each.raised and each.raised.type != "Killed")


class Desk:
    """Where a test sits: before one pupil, at one store."""

    def __init__(self, pupil: Pupil, store: str = FAKEREDIS) -> None:
        self._pupil, self.store = pupil, store

    def value(self, name: str) -> Heard:
        """What a name holds."""
        return Heard(unpack(self._pupil.ask({"do": "value", "name": name})["said"]))

    def call(self, name: str, *args: Any) -> Heard:
        """What a function answers for plain arguments."""
        return _heard(self._pupil.ask({"do": "call", "name": name, "args": [pack(each) for each in args]}))

    def run(self, given: Sequence[Sequence[Word]], acts: Sequence[Mapping[str, Any]], *, now_ms: int) -> Ran:
        """Run acts (made by `call`, `script`, `command`) after the commands of `given`, the clock at `now_ms`."""
        question = {"do": "store", "store": self.store, "queue": QUEUE, "now_ms": now_ms, "acts": list(acts)}
        answer = self._pupil.ask(question | {"given": [[pack(word) for word in words] for words in given]})
        return Ran(answer["before"], tuple(map(_act, answer["acts"])))


#: This run's connection, queue and mint, as arguments of `call`.
CONN, THE_QUEUE, MINT = {"the": "conn"}, {"the": "queue"}, {"the": "mint"}


def call(name: str, *args: Any, **when: int) -> dict[str, Any]:
    """An act: the student's function. `when` is any of now_ms, kill_before, meanwhile: see `on_store`."""
    own = (CONN, THE_QUEUE, MINT)
    return {"call": name, "args": [each if each in own else pack(each) for each in args], **when}


def script(name: str, keys: Sequence[str], args: Sequence[Word], **when: int) -> dict[str, Any]:
    """An act: the student's Lua text, with its KEYS and ARGV."""
    return {"script": name, "keys": list(keys), "args": [pack(each) for each in args], **when}


def command(*words: Word) -> dict[str, Any]:
    """An act: a plain command of another client's."""
    return {"command": [pack(each) for each in words]}


def told(value: Any) -> str:
    """A plain value as a result shows it: its type beside it where that may be the point."""
    return value.shown if type(value) is Odd else shown(value, 200) if type(value) is not int else str(value)


def _act(data: dict[str, Any]) -> Act:
    other = data.get("other")
    return Act(
        _heard(data.get("heard", {"said": None})),
        None if other is None else _heard(other),
        tuple(tuple(each) for each in data.get("calls", ())),
        data.get("sent", 0),
        tuple(data.get("minted", ())),
        data["after"],
    )


def _heard(data: dict[str, Any]) -> Heard:
    raised = data.get("raised")
    return Heard(unpack(data.get("said")), raised and Raised(**raised), data.get("printed", ""))
