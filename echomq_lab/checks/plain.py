"""What an answer said, as plain data that can cross a pipe: nothing of the answerer's code comes along.

    pack(value)     JSON data
    unpack(data)    the plain value again: int, float, str, bytes, bool, None, list, tuple, dict

Anything else, and what is too big to be looked at, arrives as `Odd`: the name of its type and how it is shown.

Source: grading, "Student code and checks never share a process".
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from echomq_lab.errors import plain, shown

#: Values and characters that one answer may hold, how deep, and how large an int; more is told as too big.
MOST_VALUES = 2_000
MOST_CHARACTERS = 40_000
DEEPEST = 12
MOST_INT = 10**40
#: Where an object lies in memory, which is another place in each run.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


@dataclass(frozen=True, slots=True)
class Odd:
    """A value that is no plain one: the name of its type, and how it is shown. Equal to no plain value."""

    kind: str
    shown: str

    def __repr__(self) -> str:
        return self.shown


def pack(value: Any) -> Any:
    """A value as JSON data; never raises, whatever the value's own methods do."""
    try:
        return _Packer().pack(value, 0)
    except Exception:
        return {"odd": ["object", "a value that cannot be looked at"]}


def unpack(data: Any) -> Any:
    """The plain value of JSON data. Raises `ValueError` for data that `pack` does not make."""
    if data is None or type(data) in (bool, int, float, str):
        return data
    if type(data) is dict and len(data) == 1:
        (kind, held) = next(iter(data.items()))
        if kind == "bytes" and type(held) is str:
            return held.encode("latin-1")
        if kind == "odd" and type(held) is list and len(held) == 2 and all(type(each) is str for each in held):
            return Odd(*held)
        if kind in ("list", "tuple") and type(held) is list:
            items = [unpack(each) for each in held]
            return items if kind == "list" else tuple(items)
        if kind == "dict" and type(held) is list and all(type(pair) is list and len(pair) == 2 for pair in held):
            return {_key(unpack(key)): unpack(each) for key, each in held}
    raise ValueError("no packed value")


def _key(key: Any) -> Any:
    """A key of a dict; what holds a list cannot be one."""
    try:
        hash(key)
    except TypeError:
        return Odd(type(key).__name__, shown(key))
    return key


class _Packer:
    def __init__(self) -> None:
        self.values = self.characters = 0

    def pack(self, value: Any, depth: int) -> Any:
        self.values += 1
        value = plain(value)
        kind = type(value)
        if value is None or kind is bool:
            return value
        if (kind is int and abs(value) < MOST_INT) or (kind is float and math.isfinite(value)):
            return value
        if kind in (str, bytes) and self._fits(len(value)):
            return value if kind is str else {"bytes": value.decode("latin-1")}
        if depth < DEEPEST and self.values <= MOST_VALUES:
            if issubclass(kind, list | tuple) and len(value) <= MOST_VALUES:
                base: Any = list if issubclass(kind, list) else tuple
                return {base.__name__: [self.pack(each, depth + 1) for each in base.__iter__(value)]}
            if issubclass(kind, dict) and dict.__len__(value) <= MOST_VALUES:
                pairs = [[self.pack(each, depth + 1) for each in pair] for pair in dict.items(value)]
                return {"dict": pairs}
        return {"odd": [kind.__name__, _told(value, kind)]}

    def _fits(self, characters: int) -> bool:
        self.characters += characters
        return self.characters <= MOST_CHARACTERS


def _told(value: Any, kind: type) -> str:
    if issubclass(kind, list | tuple | dict | str | bytes) and len(value) > MOST_VALUES:
        what = "characters" if issubclass(kind, str) else "bytes" if issubclass(kind, bytes) else "items"
        return f"a {kind.__name__} of {len(value):,} {what}"
    return _ADDRESS.sub("", shown(value))
