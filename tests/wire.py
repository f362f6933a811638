"""A wire between a client and a server, that counts what is sent and can be cut."""

from __future__ import annotations

import socket
import threading


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
        with near, far:
            while words := _received(near):
                if self.drop_before and self.drop_before in words:
                    return
                self.sent.append(words)
                far.sendall(words)
                reply = _received(far)
                if self.drop_reply_of and self.drop_reply_of in words:
                    return
                near.sendall(reply)

    def close(self) -> None:
        for each in [self.listener, *self.lines]:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        for thread in self.threads:
            thread.join()


def _received(line: socket.socket) -> bytes:
    try:
        return line.recv(1 << 16)
    except OSError:
        return b""
