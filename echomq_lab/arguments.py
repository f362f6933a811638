"""What the verbs accept: checked on the host, before a command is built.

Each check answers the value it was given, or raises an `ArgumentError` that names the argument.

Source: wire contract, "Edges": names, every_ms, first_in_ms.
"""

from __future__ import annotations

from echomq_lab.errors import ArgumentError

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
    return whole(thing, value, 1, MAX_EXACT, "whole milliseconds", "fifteen minutes are 900000")


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


def name(thing: str, value: str) -> str:
    """Non-empty text that can be sent: the name of a registration."""
    if not isinstance(value, str) or not value or not _sendable(value):
        raise ArgumentError(thing, value, "non-empty text", "try 'daily-report'")
    return str.__str__(value)  # the text itself: what a member of an enum of str is formatted as is another


def content(thing: str, value: str | bytes) -> str | bytes:
    """A template or payload: text or bytes, never interpreted, empty allowed."""
    if isinstance(value, bytes) or (isinstance(value, str) and _sendable(value)):
        return value
    raise ArgumentError(thing, value, "text or bytes", "json.dumps(...) makes text of other things")


def _sendable(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True
