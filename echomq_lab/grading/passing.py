"""What a student's function sends to the store, passed on command by command: counted, held up, or cut off for good.

The seat has no way to the store but a line that ends here. What comes over it is a whole command or nothing; what goes
back is the store's reply, byte for byte.

Source: exercises, "Store exercises"; grading, "The store of a submission".
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable

from echomq_lab.errors import StoreError
from echomq_lab.grading import resp
from echomq_lab.grading.patience import Patience
from echomq_lab.grading.server import STUDENT, Server
from echomq_lab.store import Connection

#: How many commands and bytes one call may send.
_MOST_SENT, _MOST_BYTES = 500, 1 << 22
#: So many bytes of replies are sent without waiting for more.
_ENOUGH = 1 << 14
#: The commands by which a client introduces itself, and what it is told; they are no act of the student's, and none of
#: them goes further.
_HANDSHAKE = {b"HELLO": b"%1\r\n$5\r\nproto\r\n:3\r\n", b"CLIENT": b"+OK\r\n"}
#: These the server asks no rights for. Whom a call speaks as is not for it to choose.
_FORBIDDEN = {b"AUTH", b"RESET", b"QUIT"}


class Passing:
    """One call's commands, from its `line` to `server`, and what is noted of them.

    Before command number `kill_before` the line dies; before number `before`, `do` is done first. Within the block it
    is a connection of its own to the server, with the student's rights.
    """

    def __init__(
        self,
        server: Server,
        line: socket.socket,
        minter: Connection,
        *,
        kill_before: int | None = None,
        before: int | None = None,
        do: Callable[[], None] | None = None,
    ) -> None:
        self._line, self._minter = line, minter
        self._kill_before, self._before, self._do = kill_before, before, do
        self._server, self._commands = server, resp.Lines(line)
        self._bytes = 0
        self.sent, self.dead = 0, False
        self.calls: list[list[str]] = []
        self.minted: list[str] = []

    def __enter__(self) -> Passing:
        self._forget()
        self._store = socket.socket(socket.AF_UNIX)
        self._replies = resp.Lines(self._store)
        try:
            self._store.connect(str(self._server.socket))
            self._store.sendall(resp.command(["HELLO", "3", "AUTH", STUDENT, ""]))
        except OSError as error:
            raise StoreError("the store is gone") from error
        self._reply(Patience(5, "no reply"))
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def mint(self) -> str:
        """An id for the call: what was minted is the grader's to know."""
        self.minted.append(self._minter.mint())
        return self.minted[-1]

    def take(self, patience: Patience) -> None:
        """Take what has come over the line, and pass it on. Raises `SilenceError`, `EOFError`, `ValueError`."""
        self._commands.fill(patience.left_s)
        replies = bytearray()
        while (words := self._commands.command()) is not None:
            replies += self._passed_on(words, patience)
            if len(replies) > _ENOUGH:
                self._answer(replies, patience)
        self._answer(replies, patience)

    def _answer(self, replies: bytearray, patience: Patience) -> None:
        """Send replies, several at once: the line holds few parts, and nobody may be reading."""
        self._line.settimeout(patience.left_s)
        try:
            self._line.sendall(replies)
        except TimeoutError:
            raise patience.end() from None
        replies.clear()

    def _passed_on(self, words: list[bytes], patience: Patience) -> bytes:
        if introduced := _HANDSHAKE.get(words[0].upper()):
            return introduced
        if words[0].upper() in _FORBIDDEN:
            return resp.error("NOPERM this connection has no permissions to change whom it speaks for")
        number = self.sent + 1
        if self.dead or number == self._kill_before:
            self.dead = True
            return resp.error("ERR the process was killed here")
        if number == self._before and self._do is not None:
            with patience.aside():
                self._do()
        command = resp.command(words)
        self._bytes += len(command)
        if number > _MOST_SENT or self._bytes > _MOST_BYTES:
            raise ValueError("commands without end")
        self.sent = number
        self._store.settimeout(patience.left_s)
        try:
            self._store.sendall(command)
        except OSError as error:
            raise StoreError("the store is gone") from error
        reply = self._reply(patience)
        self._note(words, reply)
        return reply

    def _note(self, words: list[bytes], reply: bytes) -> None:
        """Note a command, or what the script that it ran has called; a script that is loaded is no call."""
        verb = words[0].upper()
        if verb == b"SCRIPT" or reply.startswith(b"-NOSCRIPT"):
            return
        inside = self._server.calls() if verb.startswith(b"EVAL") else []
        self.calls += inside or [[word.decode("utf-8", "surrogateescape") for word in words]]

    def _reply(self, patience: Patience) -> bytes:
        while (reply := self._replies.reply()) is None:
            try:
                self._replies.fill(patience.left_s)
            except TimeoutError:
                raise patience.end() from None
            except (OSError, EOFError, ValueError) as error:
                raise StoreError("the store is gone") from error
        return reply

    def _forget(self) -> None:
        """Forget what was sent before this call was asked for."""
        self._line.setblocking(False)
        with contextlib.suppress(OSError):
            for _ in range(_MOST_BYTES >> 16):
                self._line.recv(1 << 16)
