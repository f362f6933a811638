"""A wire between a client and a server, that counts what is sent and can be cut."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Wire:
    """A loopback port in front of a server: counts what is sent, and drops the line where it is told."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.sent: list[bytes] = []
        self.drop_reply_of: bytes | None = None
        self.drop_before: bytes | None = None
        self.lines: list[socket.socket] = []
        self.threads = [threading.Thread(target=self._accept)]
        self.threads[0].start()

    def _accept(self) -> None:
        with self.listener:
            while True:
                try:
                    near, _ = self.listener.accept()
                except OSError:
                    return
                self.threads.append(threading.Thread(target=self._carry, args=(near,)))
                self.threads[-1].start()

    def _carry(self, near: socket.socket) -> None:
        far = socket.socket(socket.AF_UNIX)
        far.connect(self.path)
        self.lines += [near, far]
        cut = threading.Event()
        back = threading.Thread(target=_carry_back, args=(near, far, cut))
        back.start()
        with near, far:
            while words := _received(near):
                if self.drop_before and self.drop_before in words:
                    break
                self.sent.append(words)
                if self.drop_reply_of and self.drop_reply_of in words:
                    cut.set()
                far.sendall(words)
            _shut(far)
            back.join()

    def close(self) -> None:
        for each in [self.listener, *self.lines]:
            _shut(each)
        for thread in self.threads:
            thread.join()


def _carry_back(near: socket.socket, far: socket.socket, cut: threading.Event) -> None:
    while reply := _received(far):
        if cut.is_set():
            break
        near.sendall(reply)
    _shut(near)


def _shut(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)


def _received(line: socket.socket) -> bytes:
    try:
        return line.recv(1 << 16)
    except OSError:
        return b""
