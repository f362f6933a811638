"""The store's protocol between a student's client and the grader: whole commands and whole replies, as they came.

Neither side is believed: lengths are bounded, and what is no command is a `ValueError`.

Source: grading, "The store of a submission".
"""

from __future__ import annotations

import socket
from collections.abc import Iterable

#: The longest command and reply, in bytes, and the most words of one.
LONGEST, MOST_WORDS = 1 << 20, 10_000
_LENGTH = 20
#: What a reply is made of: text of a length, and how many replies are in each item of many.
_SIZED = (b"$", b"=", b"!")
_MANY = {b"*": 1, b"~": 1, b">": 1, b"%": 2}


class Lines:
    """What has come over a socket and was not taken yet."""

    def __init__(self, line: socket.socket) -> None:
        self._line, self._held = line, bytearray()

    def fill(self, wait_s: float) -> None:
        """Take what is there or comes. Raises `TimeoutError`, `EOFError` on a closed line, `ValueError` on a flood."""
        self._line.settimeout(wait_s)
        part = self._line.recv(1 << 16)
        if not part:
            raise EOFError
        if len(self._held) > LONGEST + (1 << 16):
            raise ValueError("too long")
        self._held += part

    def command(self) -> list[bytes] | None:
        """The next command, an array of bulk strings; None where it is not whole yet."""
        head = _sized(self._held, 0, b"*")
        if head is None:
            return None
        count, at = head
        if not 0 < count <= MOST_WORDS:
            raise ValueError("no command of this many words")
        words = []
        for _ in range(count):
            head = _sized(self._held, at, b"$")
            if head is None:
                return None
            size, at = head
            if not 0 <= size <= LONGEST:
                raise ValueError("no word of this length")
            if len(self._held) < at + size + 2:
                return None
            if self._held[at + size : at + size + 2] != b"\r\n":
                raise ValueError("a word that does not end")
            words.append(bytes(self._held[at : at + size]))
            at += size + 2
        del self._held[:at]
        return words

    def reply(self) -> bytes | None:
        """The next reply, as it came; None where it is not whole yet."""
        at, awaited = 0, 1
        while awaited:
            end = self._held.find(b"\r\n", at)
            if end < 0:
                return None
            mark, told = self._held[at : at + 1], self._held[at + 1 : end]
            at, awaited = end + 2, awaited - 1
            if mark in _SIZED and told != b"-1":
                at += int(told) + 2
            elif times := _MANY.get(bytes(mark)):
                awaited += max(int(told), 0) * times
        if len(self._held) < at:
            return None
        reply = bytes(self._held[:at])
        del self._held[:at]
        return reply


def command(words: Iterable[bytes | str]) -> bytes:
    """A command as it goes over the wire."""
    plain = [word.encode() if isinstance(word, str) else word for word in words]
    return b"*%d\r\n" % len(plain) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in plain)


def error(words: str) -> bytes:
    """An error reply of the grader's own."""
    return f"-{words}\r\n".encode()


def _sized(held: bytearray, at: int, mark: bytes) -> tuple[int, int] | None:
    """The number behind a mark, -1 or more, and where what follows begins; None where the line is not whole yet."""
    end = held.find(b"\r\n", at, at + _LENGTH)
    if held[at : at + 1] not in (mark, b"") or (end < 0 and len(held) - at >= _LENGTH):
        raise ValueError("no command")
    if end < 0:
        return None
    told = held[at + 1 : end]
    if told != b"-1" and not told.isdigit():
        raise ValueError("no number")
    return int(told), end + 2
