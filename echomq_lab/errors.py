"""What went wrong, told as a hint: the thing, the value, what is allowed, what to try.

Every error of the lab is a `LabError`, and also the builtin it is, so that code which never heard of the
lab can catch it. A notebook shows the message alone: a mistake of the reader's is not a crash of ours.

Source: architecture, "Rooms"; style, "An error is a hint".
"""

from __future__ import annotations

import math
import reprlib
from typing import Any


class LabError(Exception):
    """Any refusal of the lab. Nothing was written when it is raised before a command went out."""

    def _render_traceback_(self) -> list[str]:
        """What IPython prints in place of a traceback: the message."""
        return [f"{type(self).__name__}: {self}"]


class ArgumentError(LabError, ValueError):
    """An argument that no command was built from.

    `thing` names the argument, `value` is what came, `allowed` says what is, `hint` what to try.
    """

    def __init__(self, thing: str, value: object, allowed: str, hint: str = "") -> None:
        self.thing = thing
        self.value = value
        self.allowed = allowed
        self.hint = hint
        message = f"{thing} must be {allowed}, not {shown(value)}"
        super().__init__(f"{message}; {hint}" if hint else message)

    def __reduce__(self) -> tuple[type[ArgumentError], tuple[str, object, str, str]]:
        return type(self), (self.thing, self.value, self.allowed, self.hint)


class CronError(LabError, ValueError):
    """A cron expression, or its zone, that names no slot.

    `field` is the field's name ("minute") or None when the whole is at fault, `token` the text at fault and
    `position` its first character in the expression, `allowed` what may stand there, `repair` a whole
    expression that would be accepted, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        token: str | None = None,
        position: int | None = None,
        allowed: str | None = None,
        repair: str | None = None,
    ) -> None:
        self.field = field
        self.token = token
        self.position = position
        self.allowed = allowed
        self.repair = repair
        super().__init__(message)


class KindError(LabError, ValueError):
    """The id is a branded id, but not of a job (the script's EMQKIND reply)."""


class StaleError(LabError, LookupError):
    """The token is not the one of the current claim (the script's EMQSTALE reply)."""


class StoreError(LabError, ConnectionError):
    """No store answered, or the line was cut: what was sent last may or may not have been done."""


class ReplyError(LabError, RuntimeError):
    """The store refused a command, as it does for a key that holds another type."""


def plain(value: Any) -> Any:
    """Text or bytes as the builtin itself, anything else as it came.

    What a subclass answers when it is formatted, encoded or searched may be another text than the one it holds, so a
    value is made plain first and only then checked, written into a key or sent.
    """
    kind = type(value)  # and not isinstance, which believes the value's own __class__
    if issubclass(kind, str):
        return str.__str__(value)
    return bytes.__bytes__(value) if issubclass(kind, bytes) else value


def shown(value: object, most: int = 80) -> str:
    """A repr of about `most` characters, with the type beside it where the repr does not tell it; never raises."""
    value = plain(value)
    short = reprlib.Repr()
    short.maxstring = short.maxother = most
    kind = "another type"
    try:
        kind = type(value).__name__
        if type(value) is int and abs(value) >= 10**40:
            return f"an int of about {math.floor(math.log10(abs(value))) + 1} digits"
        text = short.repr(value)
        return text if value is None or type(value) is str else f"{text} ({kind})"
    except Exception:
        return f"a value of {kind} that cannot be shown"
