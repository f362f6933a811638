"""What is believed of a student's process: answers of the right form, and of those only plain values.

The process may have been taken over: it can send anything. What is no answer to the question is a `ValueError`, what is
one comes out rebuilt, its texts cut to a length that can be shown.

Source: grading, "believes only plain JSON values of the exact type".
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from echomq_lab.checks.plain import pack, unpack

_KINDS = {"missing", "unanswered", "function", "value"}
_TEXTS = {"type": 80, "shown": 300, "takes": 300}
_RAISED = {"type": 80, "words": 400, "line": 200}


def parsed(line: bytes) -> dict[str, Any]:
    """A line as a JSON object."""
    answer = json.loads(line, parse_constant=_no_number)
    if type(answer) is not dict:
        raise ValueError("no JSON object")
    return answer


def believed(question: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """The answer to a question, rebuilt from what is believed of it."""
    match question["do"]:
        case "hide":
            return {}
        case "names":
            return {"names": _names(answer.get("names"), len(question["names"]))}
        case "value":
            return {"said": _said(answer)}
        case "cells":
            ran = answer.get("ran")
            if type(ran) is not list or len(ran) != len(question["cells"]):
                raise ValueError("no cells")
            return {"ran": [_cell(each) for each in ran]}
    return heard(answer)


def heard(answer: dict[str, Any]) -> dict[str, Any]:
    """What a call answered or raised, and the beginning of what it printed."""
    printed = _text(answer.get("printed", ""), 200)
    if "raised" in answer:
        return {"raised": _raised(answer["raised"]), "printed": printed}
    return {"said": _said(answer), "printed": printed}


def _said(answer: dict[str, Any]) -> Any:
    # Packed anew, so that no more of it goes on than a student's own check would look at.
    return pack(unpack(answer["said"])) if "said" in answer else _no("value")


def _raised(raised: Any) -> dict[str, Any]:
    if type(raised) is not dict:
        _no("error")
    return {name: _text(raised.get(name, ""), most) for name, most in _RAISED.items()} | {
        "lab": raised.get("lab") is True
    }


def _names(names: Any, count: int) -> list[dict[str, Any]]:
    if type(names) is not list or len(names) != count:
        _no("names")
    return [_name(each) for each in names]


def _name(stands: Any) -> dict[str, Any]:
    if type(stands) is not dict or stands.get("kind") not in _KINDS:
        _no("name")
    told: dict[str, Any] = {"kind": stands["kind"]}
    told |= {name: _text(stands.get(name, ""), most) for name, most in _TEXTS.items()}
    if type(stands.get("most")) is int and type(stands.get("least")) is int:
        told |= {"most": stands["most"], "least": stands["least"]}
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


def _text(value: Any, most: int) -> str:
    return value[:most] if type(value) is str else _no("text")


def _no(what: str) -> NoReturn:
    raise ValueError(f"no {what}")


def _no_number(_: str) -> NoReturn:
    raise ValueError("no number of JSON")
