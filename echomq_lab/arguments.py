"""What the verbs accept: checked on the host, before a command is built.

Each check answers the value it was given, text and bytes as plain ones, or raises an `ArgumentError` that names the
argument.

Source: wire contract, "Edges": names, every_ms, first_in_ms.
"""

from __future__ import annotations

from echomq_lab.errors import ArgumentError, plain

#: Above this a sorted-set score, a double, no longer tells every millisecond apart.
MAX_EXACT = 2**53 - 1
_MAX_INT64 = 2**63 - 1


def whole(thing: str, value: int, least: int, most: int, what: str, hint: str = "") -> int:
    """An int from `least` to `most`. A bool is none, nor is a float that happens to be whole."""
    if type(value) is not int or not least <= value <= most:
        raise ArgumentError(thing, value, f"{what} from {least} to {most}", hint)
    return value


def period_ms(thing: str, value: int) -> int:
    """A period: whole milliseconds, 1 to 2^53 - 1."""
    text = plain(value)
    hint = "try int(...)" if type(text) is str and text.isdecimal() else "fifteen minutes are 900000"
    return whole(thing, value, 1, MAX_EXACT, "whole milliseconds", hint)


def delay_ms(thing: str, value: int) -> int:
    """A delay: whole milliseconds, 0 to 2^53 - 1."""
    return whole(thing, value, 0, MAX_EXACT, "whole milliseconds", "0 means at once")


def run_at(thing: str, value: int) -> int:
    """An instant for a one-shot job: any 64-bit Unix millisecond; a past one is due at once."""
    return whole(thing, value, -_MAX_INT64 - 1, _MAX_INT64, "a Unix millisecond")


def token(thing: str, value: int) -> int:
    """The token of a claim: its attempts count, 0 or more."""
    return whole(thing, value, 0, _MAX_INT64, "the attempts count of a claim")


def how_many(thing: str, value: int) -> int:
    """A limit, batch or count: 1 or more."""
    return whole(thing, value, 1, _MAX_INT64, "a whole number")


def text(thing: str, value: object, what: str = "text", hint: str = "") -> str:
    """Text that can be sent, empty allowed."""
    value = plain(value)
    if type(value) is not str:
        raise ArgumentError(thing, value, what, hint)
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ArgumentError(thing, value, "text that can be sent", "a lone surrogate has no UTF-8") from None
    return value


def name(thing: str, value: object, hint: str = "try 'daily-report'") -> str:
    """Non-empty text that can be sent: the name of a registration."""
    if found := text(thing, value, "non-empty text", hint):
        return found
    raise ArgumentError(thing, value, "non-empty text", hint)


def content(thing: str, value: object) -> str | bytes:
    """A template or payload: text or bytes, never interpreted, empty allowed."""
    value = plain(value)
    if type(value) is bytes:
        return value
    return text(thing, value, "text or bytes", "json.dumps(...) makes text of other things")


def word(thing: str, value: str | bytes | float) -> str | bytes | float:
    """A word of a command: text, bytes or a number that the store can hold."""
    if type(value) is float or (type(value) is int and -_MAX_INT64 - 1 <= value <= _MAX_INT64):
        return value
    value = plain(value)
    return value if type(value) is bytes else text(thing, value, "text, bytes or a 64-bit number")


def instance(thing: str, value: object, kinds: type | tuple[type, ...], what: str, hint: str) -> None:
    """A value of the lab's own: a rule, a run, a trace."""
    if not issubclass(type(value), kinds):
        raise ArgumentError(thing, value, what, hint)
