"""What is believed of a student's process: answers of the right form, and of those only plain values.

The process may have been taken over: it can send anything. What is no answer to the question is a `ValueError`, what is
one comes out rebuilt, no larger than `checks.plain` makes it and its texts cut to a length that can be shown.

Source: grading, "believes only plain JSON values of the exact type".
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from echomq_lab.checks.plain import DEEPEST, MOST_CHARACTERS, MOST_INT, MOST_VALUES

_KINDS = ("missing", "unanswered", "function", "value")
_TEXTS = {"type": 80, "shown": 300, "takes": 300}
_RAISED = {"type": 80, "words": 400, "line": 200}
#: What is packed stops to grow at so many values, but for the dicts that are open then, one in the other.
_MOST_PACKED = MOST_VALUES + (DEEPEST + 1) * 2 * MOST_VALUES
_MOST_ARGUMENTS = 10_000


def parsed(line: bytes) -> dict[str, Any]:
    """A line as a JSON object."""
    answer = json.loads(line, parse_constant=_no)
    if type(answer) is not dict:
        raise ValueError("no JSON object")
    return answer


def believed(question: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """The answer to a question, rebuilt from what is believed of it."""
    match question["do"]:
        case "hide":
            return {}
        case "names":
            return {"names": [_name(each) for each in _many(answer.get("names"), len(question["names"]))]}
        case "value":
            return {"said": _said(answer)}
        case "cells":
            return {"ran": [_cell(each) for each in _many(answer.get("ran"), len(question["cells"]))]}
    return heard(answer)


def heard(answer: dict[str, Any]) -> dict[str, Any]:
    """What a call answered or raised, and the beginning of what it printed."""
    printed = _text(answer.get("printed", ""), 200)
    if "raised" in answer:
        return {"raised": _raised(answer["raised"]), "printed": printed}
    return {"said": _said(answer), "printed": printed}


def _said(answer: dict[str, Any]) -> Any:
    return _Rebuilt().plain(answer["said"], 0) if "said" in answer else _no("value")


class _Rebuilt:
    """A packed value being rebuilt, as large as one may be."""

    def __init__(self) -> None:
        self._values = self._characters = 0

    def plain(self, data: Any, depth: int) -> Any:
        """The value, as it came."""
        kind = type(data)
        self._values += 1
        if self._values > _MOST_PACKED or depth > DEEPEST:
            _no("value of this size")
        if data is None or kind is bool or (kind is int and abs(data) < MOST_INT):
            return data
        if kind is float and math.isfinite(data):
            return data
        if kind is str:
            return self._counted(data)
        if kind is dict and len(data) == 1:
            ((name, held),) = data.items()
            return {name: self._held(name, held, depth)}
        return _no("packed value")

    def _held(self, kind: str, held: Any, depth: int) -> Any:
        if kind == "bytes" and type(held) is str and held.isascii() | (max(held, default="") <= "\xff"):
            return self._counted(held)
        if kind == "odd":
            name, shown = _many(held, 2)
            return [_text(name, 80), _text(shown, 300)]
        if kind in ("list", "tuple") and type(held) is list:
            return [self.plain(each, depth + 1) for each in held]
        if kind == "dict" and type(held) is list and len(held) <= MOST_VALUES:
            return [[self.plain(each, depth + 1) for each in _many(pair, 2)] for pair in held]
        return _no("packed value")

    def _counted(self, text: str) -> str:
        self._characters += len(text)
        return text if self._characters <= MOST_CHARACTERS else _no("text of this length")


def _raised(raised: Any) -> dict[str, Any]:
    if type(raised) is not dict:
        _no("error")
    told: dict[str, Any] = {name: _text(raised.get(name, ""), most) for name, most in _RAISED.items()}
    # That a process was killed is the grader's to say.
    told["type"] = "an error called Killed" if told["type"] == "Killed" else told["type"]
    return told | {"lab": raised.get("lab") is True}


def _name(stands: Any) -> dict[str, Any]:
    if type(stands) is not dict or type(stands.get("kind")) is not str or stands["kind"] not in _KINDS:
        _no("name")
    told: dict[str, Any] = {"kind": stands["kind"]}
    told |= {name: _text(stands.get(name, ""), most) for name, most in _TEXTS.items()}
    if "most" in stands or "least" in stands:
        told |= {"most": _count(stands.get("most")), "least": _count(stands.get("least"))}
    return told


def _cell(ran: Any) -> dict[str, Any]:
    if type(ran) is not dict:
        _no("cell")
    skipped, raised = ran.get("skipped"), ran.get("raised")
    lines = skipped[:5] if type(skipped) is list else []
    return {
        "skipped": [_text(each, 100) for each in lines],
        "raised": None if raised is None else _raised(raised),
    }


def _many(data: Any, count: int) -> list[Any]:
    return data if type(data) is list and len(data) == count else _no("list of the right length")


def _count(value: Any) -> int:
    return value if type(value) is int and -1 <= value <= _MOST_ARGUMENTS else _no("count")


def _text(value: Any, most: int) -> str:
    return value[:most] if type(value) is str else _no("text")


def _no(what: str) -> NoReturn:
    raise ValueError(f"no {what}")
