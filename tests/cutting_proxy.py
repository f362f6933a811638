"""A line to a store that can be cut at a chosen command, before the store has it or after it has done it.

    with CuttingProxy(url) as proxy, connect(proxy.url) as conn:
        proxy.cut("enqueue", AFTER, nth=2)

Commands go to the store one at a time, each with its whole reply, so a cut falls between two of them even when the
client sends several at once. A command is known by its script's name, or else by its first word.
"""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha1
from io import BufferedReader
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from echomq_lab import scripts
from echomq_lab.embedded import short_folder

#: Nothing of the command has reached the store; half of its bytes have; it is done and the reply is kept back; half of
#: the reply's bytes went out.
BEFORE, HALF, AFTER, HALF_REPLY = MOMENTS = ("before", "half", "after", "half reply")
_SCRIPTS = {sha1(scripts.source(name).encode(), usedforsecurity=False).hexdigest(): name for name in scripts.NAMES}


class CuttingProxy:
    """A Unix socket in front of the one that `url` names; `seen` are the names of the commands that came, in order."""

    def __init__(self, url: str) -> None:
        self._store = unquote(url.removeprefix("unix://").partition("?")[0])
        self._folder = tempfile.TemporaryDirectory(prefix="line-", dir=short_folder())
        self._socket = socket.socket(socket.AF_UNIX)
        path = str(Path(self._folder.name) / "socket")
        self._socket.bind(path)
        self._socket.listen(64)
        self.url = f"unix://{path}"
        self.seen: list[str] = []
        self._turn = threading.Lock()
        self._lines: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._plan: tuple[str, str, int, Callable[[], object]] | None = None
        #: Set when what was planned has been done.
        self.done = threading.Event()
        self._start(self._accept)

    def cut(self, name: str, moment: str, nth: int = 1, *, instead: Callable[[], object] | None = None) -> None:
        """At the `nth` command from now that is called `name`, cut its line at that moment, once.

        `instead` is called in place of the cut, and then the command or its reply goes on.
        """
        with self._turn:
            self._plan = (name, moment, nth, instead or _cut)
            self.done.clear()

    def _planned(self, name: str) -> tuple[str, Callable[[], object]] | None:
        """The moment, and what to do, if this command is the one."""
        with self._turn:
            self.seen.append(name)
            if self._plan is None or self._plan[0] != name:
                return None
            _, moment, nth, act = self._plan
            self._plan = None if nth == 1 else (name, moment, nth - 1, act)
            return (moment, act) if nth == 1 else None

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                self._start(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        """Pass on what a client sends until either side ends; a cut is such an end."""
        store = socket.socket(socket.AF_UNIX)
        with client, store, suppress(OSError, EOFError):
            with self._turn:
                self._lines |= {client, store}
            store.connect(self._store)
            with client.makefile("rb") as asked, store.makefile("rb") as answered:
                while True:
                    self._pass_on(asked, answered, client, store)
        with self._turn:
            self._lines -= {client, store}

    def _pass_on(
        self, asked: BufferedReader, answered: BufferedReader, client: socket.socket, store: socket.socket
    ) -> None:
        raw, words = command(asked)
        planned = self._planned(called(words))

        def now(moment: str) -> None:
            if planned is not None and planned[0] == moment:
                try:
                    planned[1]()
                finally:
                    self.done.set()

        now(BEFORE)
        store.sendall(raw[: len(raw) // 2])
        now(HALF)
        store.sendall(raw[len(raw) // 2 :])
        answer = reply(answered)
        now(AFTER)
        client.sendall(answer[: len(answer) // 2])
        now(HALF_REPLY)
        client.sendall(answer[len(answer) // 2 :])

    def _start(self, what: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=what, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def close(self) -> None:
        """Cut every line and end."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        with self._turn:
            for line in self._lines:
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        self._folder.cleanup()

    def __enter__(self) -> CuttingProxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _cut() -> None:
    raise ConnectionAbortedError("cut as planned")


def called(words: list[bytes]) -> str:
    """The name of the script that a command runs, or its first word in small letters."""
    verb = words[0].decode().lower()
    return _SCRIPTS.get(words[1].decode(), verb) if verb == "evalsha" else verb


def command(line: BufferedReader) -> tuple[bytes, list[bytes]]:
    """The next command: its bytes and its words. Raises `EOFError` at the end of the line."""
    head = _line(line)
    parts, words = [head], []
    for _ in range(int(head[1:])):
        size = _line(line)
        word = _exactly(line, int(size[1:]) + 2)
        parts += [size, word]
        words.append(word[:-2])
    return b"".join(parts), words


def reply(line: BufferedReader) -> bytes:
    """The bytes of the next whole reply, in either version of the protocol."""
    head = _line(line)
    kind, rest = head[:1], head[1:-2]
    if kind in b"$=!" and rest != b"-1":
        return head + _exactly(line, int(rest) + 2)
    if kind in b"*%~>" and rest != b"-1":
        return head + b"".join(reply(line) for _ in range(int(rest) * (2 if kind == b"%" else 1)))
    return head


def _line(line: BufferedReader) -> bytes:
    found = line.readline()
    if not found.endswith(b"\r\n"):
        raise EOFError
    return found


def _exactly(line: BufferedReader, size: int) -> bytes:
    found = line.read(size)
    if len(found) < size:
        raise EOFError
    return found
