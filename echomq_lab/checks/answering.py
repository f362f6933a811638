"""The answerer's side of a check: holds the names of a notebook and answers questions about them as plain data.

    {"do": "hide", "what": [...]}                     these parts of the library: the ones that an exercise asks for
    {"do": "names", "names": [...]}                   what stands under each name
    {"do": "value", "name": ...}                      the value of a name
    {"do": "call", "name": ..., "args": [...]}        what a function answers
    {"do": "store", ...}                              a run on a store, see `on_store`

It runs in a process of its own, since what it calls may never end. Nothing here knows what is right.

Source: grading, "Student code and checks never share a process"; exercises, "What a check is".
"""

from __future__ import annotations

import builtins
import dis
import inspect
import linecache
import sys
import types
from collections.abc import Callable
from typing import Any

from echomq_lab import cadence, pump, scripts
from echomq_lab.checks.on_store import Stores
from echomq_lab.checks.plain import pack, unpack
from echomq_lab.errors import LabError, shown

Question = dict[str, Any]
Answer = dict[str, Any]

#: What a student prints while a check runs is kept up to here, and stopped at the flood.
_KEPT, _FLOOD = 200, 1_000_000
#: How a function returns a constant, in the versions of Python.
_RETURNS = ("LOAD_CONST", "RETURN_VALUE", "RETURN_CONST")


class AskedError(LabError, RuntimeError):
    """The answer calls `input()`, or prints without end."""


class HiddenError(LabError, RuntimeError):
    """The part of the library that an exercise asks for."""


class Answerer:
    """Answers questions about `names`, the namespace of a notebook."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names
        self._stores = Stores()
        self._printed = _Sink()

    def answer(self, question: Question) -> Answer:
        """One question, one answer. What the student's code raises is told, not raised."""
        match question["do"]:
            case "hide":
                _hide(question["what"])
                return {}
            case "names":
                return {"names": [_stands(self._names, name) for name in question["names"]]}
            case "value":
                return {"said": pack(self._names.get(question["name"]))}
            case "call":
                args = [unpack(each) for each in question["args"]]
                return self.heard(lambda: self._names[question["name"]](*args))
            case "store":
                return self._stores.run(question, self._names, self.heard)
        raise ValueError(f"no such question: {shown(question['do'])}")

    def heard(self, call: Callable[[], Any]) -> Answer:
        """What a call answered or raised, and what it printed."""
        self._printed.clear()
        before = sys.stdout, sys.stderr, builtins.input
        sys.stdout = sys.stderr = self._printed
        builtins.input = _no_input
        try:
            heard: Answer = {"said": pack(call())}
        except BaseException as error:
            heard = {"raised": _told(error)}
        finally:
            sys.stdout, sys.stderr, builtins.input = before
        return heard | {"printed": self._printed.text}


class _Sink:
    """Where prints go while a check runs."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.text, self._count = "", 0

    def write(self, text: str) -> int:
        self._count += len(text)
        if self._count > _FLOOD:
            raise AskedError("it prints without end; an answer returns what it has to say")
        self.text += text[: max(_KEPT - len(self.text), 0)]
        return len(text)

    def flush(self) -> None:
        """Nothing waits."""

    def isatty(self) -> bool:
        return False


def _no_input(*_: object) -> str:
    raise AskedError("it calls input(), which nobody can answer here; take what you need from the arguments")


def _stands(names: dict[str, Any], name: str) -> dict[str, Any]:
    """What stands under a name: its kind, how it is shown, and what a function takes. A stub is "unanswered"."""
    if name not in names:
        return {"kind": "missing"}
    value = names[name]
    if value is ...:
        return {"kind": "unanswered"}
    if type(value) is types.FunctionType and _is_stub(value):
        return {"kind": "unanswered"}
    told: dict[str, Any] = {
        "kind": "function" if callable(value) else "value",
        "type": type(value).__name__,
        "shown": shown(value),
    }
    if callable(value):
        try:
            told["takes"] = str(inspect.signature(value))
            told["most"], told["least"] = _arity(inspect.signature(value))
        except Exception:
            told["takes"] = ""
    return told


def _arity(signature: inspect.Signature) -> tuple[int, int]:
    """How many positional arguments a function takes, at most and at least; -1 where it needs a keyword too."""
    places = signature.parameters.values()
    at = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    most = 1_000 if any(p.kind is p.VAR_POSITIONAL for p in places) else sum(p.kind in at for p in places)
    if any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in places):
        return most, -1
    return most, sum(p.kind in at and p.default is p.empty for p in places)


def _is_stub(function: types.FunctionType) -> bool:
    """Whether a function's body is `...` alone, a docstring at most before it: it does nothing but return None."""
    steps = [step for step in dis.get_instructions(function) if step.opname not in ("RESUME", "NOP")]
    return all(step.opname in _RETURNS and (step.argval is None or step.arg is None) for step in steps)


def _told(error: BaseException) -> dict[str, Any]:
    """An error as data: its type, its words, and the line of the notebook it came from."""
    line = ""
    trace = error.__traceback__
    while trace is not None:
        source = trace.tb_frame.f_code.co_filename
        if "ipykernel" in source or source.startswith("<"):
            line = linecache.getline(source, trace.tb_lineno).strip() or line
        trace = trace.tb_next
    try:
        words = str(error)
    except Exception:
        words = ""
    lab = issubclass(type(error), LabError)
    return {"type": type(error).__name__, "words": words[:400], "line": line[:200], "lab": lab}


def _hidden(name: str, to_write: str) -> Callable[..., Any]:
    def refuse(*_: object, **__: object) -> Any:
        raise HiddenError(f"{name} is what this exercise asks you to write; {to_write}")

    return refuse


#: Where each part of the library that an exercise asks for is found, and what to write instead.
_PARTS: dict[str, tuple[tuple[Any, str], ...]] = {
    "Cron": ((cadence.Cron, "next_at"), (cadence.Cron, "marks")),
    "sweep": ((pump, "sweep"), (pump, "sweep_atomic")),
}
_TO_WRITE = {
    "Cron": ("the library's Cron", "work the slot out by croniter or by hand"),
    "sweep": ("the library's sweep", "call repeat.due, jobs.enqueue, repeat.advance"),
}
_ORIGINALS = {(place, verb): getattr(place, verb) for parts in _PARTS.values() for place, verb in parts}
_SOURCE = scripts.source


def _hide(what: list[str]) -> None:
    """Hide these parts of the library, and show all others again."""
    for (place, verb), original in _ORIGINALS.items():
        setattr(place, verb, original)
    for name in what:
        for place, verb in _PARTS.get(name, ()):
            setattr(place, verb, _hidden(*_TO_WRITE[name]))
    hidden = {name for name in what if name not in _PARTS}

    def source(name: str) -> str:
        if name in hidden:
            _hidden(f"the library's script {name!r}", "write it as Lua text of your own")()
        return _SOURCE(name)

    scripts.source = source if hidden else _SOURCE  # type: ignore[assignment]
