"""The store's protocol between a student's client and the grader: commands in, replies out as they came.

Source: grading, "The store of a submission".
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import redis

_LONGEST = 1 << 20
_MOST_WORDS = 10_000


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error reply of the grader's own."""

    words: str

    def packed(self) -> bytes:
        """The reply as bytes."""
        return f"-{self.words}\r\n".encode()


class Lines:
    """What has come over a socket and was not read yet."""

    def __init__(self, line: socket.socket) -> None:
        self._line, self.held = line, bytearray()

    def fill(self) -> None:
        """Take what is there. Raises `EOFError` when the line is closed or floods."""
        part = self._line.recv(1 << 16)
        if not part or len(self.held) > _LONGEST:
            raise EOFError
        self.held += part


def read_command(lines: Lines) -> Iterator[list[bytes]]:
    """Every whole command that is there: an array of bulk strings. Raises `ValueError` for what is none."""
    lines.fill()
    while (found := _command(lines.held)) is not None:
        words, length = found
        del lines.held[:length]
        yield words


def _command(held: bytearray) -> tuple[list[bytes], int] | None:
    """The first command and its length, or None where it is not whole."""
    counted = _number(held, 0, b"*")
    if counted is None:
        return None
    count, at = counted
    if count > _MOST_WORDS:
        raise ValueError("too many words")
    words = []
    for _ in range(count):
        sized = _number(held, at, b"$")
        if sized is None:
            return None
        size, at = sized
        if size > _LONGEST:
            raise ValueError("too long a word")
        if len(held) < at + size + 2:
            return None
        words.append(bytes(held[at : at + size]))
        at += size + 2
    return words, at


def _number(held: bytearray, at: int, mark: bytes) -> tuple[int, int] | None:
    end = held.find(b"\r\n", at)
    if end < 0:
        if len(held) - at > 32:
            raise ValueError("no command")
        return None
    if held[at : at + 1] != mark or not held[at + 1 : end].isdigit():
        raise ValueError("no command")
    return int(held[at + 1 : end]), end + 2


def answer_of(client: redis.Redis, words: Sequence[Any]) -> Any:
    """The store's answer to a command, undecoded, an error reply among them. Raises `redis.TimeoutError`."""
    pool = client.connection_pool
    connection: Any = pool.get_connection()
    try:
        connection.send_command(*words)
        return connection.read_response(disable_decoding=True)
    except redis.ResponseError as error:
        return error
    finally:
        pool.release(connection)


def packed(answer: Any) -> bytes:
    """An answer as it comes over the wire."""
    if isinstance(answer, redis.ResponseError):
        kind = getattr(answer, "status_code", "") or ""
        words = str(answer)
        first = words.split(" ", 1)[0]
        return f"-{words if first.isupper() else f'{kind or _code(answer)} {words}'}\r\n".encode(
            "utf-8", "surrogateescape"
        )
    if answer is None:
        return b"_\r\n"
    if isinstance(answer, bool):
        return b"#t\r\n" if answer else b"#f\r\n"
    if isinstance(answer, int):
        return b":%d\r\n" % answer
    if isinstance(answer, float):
        return b",%s\r\n" % repr(answer).encode()
    if isinstance(answer, list | tuple | set | frozenset):
        mark = b"*" if isinstance(answer, list | tuple) else b"~"
        return b"%b%d\r\n" % (mark, len(answer)) + b"".join(map(packed, answer))
    if isinstance(answer, dict):
        return b"%%%d\r\n" % len(answer) + b"".join(packed(each) for pair in answer.items() for each in pair)
    text = answer if isinstance(answer, bytes) else str(answer).encode("utf-8", "surrogateescape")
    return b"$%d\r\n%b\r\n" % (len(text), text)


def _code(error: redis.ResponseError) -> str:
    """The code that redis-py took off an error's words when it made it an exception of its own."""
    return {"NoScriptError": "NOSCRIPT", "NoPermissionError": "NOPERM", "ReadOnlyError": "READONLY"}.get(
        type(error).__name__, "ERR"
    )
