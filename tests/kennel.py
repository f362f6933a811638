"""Pumps to be killed: forked from a process that holds the library already, so that each costs milliseconds.

The process has no threads, as a fork wants it; each pump makes a connection of its own, says that it is ready, and
sweeps until it is killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path


class Kennel:
    """The process that forks them, one at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.kennel"],
            cwd=Path(__file__).parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._pid = 0

    def pump(self, url: str, queue: str, way: str) -> None:
        """Fork a pump; it begins its first sweep as this returns."""
        self._say(f"{url} {queue} {way}")
        word, pid = self._hears().split()
        assert word == "ready"
        self._pid = int(pid)

    def kill(self) -> None:
        """SIGKILL, and gone when this returns: what it had sent is on its way to the store."""
        os.kill(self._pid, signal.SIGKILL)
        assert self._hears() == f"killed {self._pid}"

    def close(self) -> None:
        self._process.communicate(timeout=30)

    def __enter__(self) -> Kennel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _say(self, word: str) -> None:
        assert self._process.stdin is not None
        print(word, file=self._process.stdin, flush=True)

    def _hears(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def _sweep_for_ever(url: str, queue: str, way: str) -> None:
    from echomq_lab import pump
    from echomq_lab.store import connect

    conn = connect(url)
    os.write(1, f"ready {os.getpid()}\n".encode())
    while True:
        getattr(pump, way)(conn, queue)


def main() -> None:
    """Fork a pump for each line of standard input, and wait for its end."""
    import echomq_lab.pump  # noqa: F401  every fork has it

    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            try:
                _sweep_for_ever(*line.split())
            finally:
                os._exit(1)
        _, status = os.waitpid(pid, 0)
        how = "killed" if os.waitstatus_to_exitcode(status) == -signal.SIGKILL else "ended"
        os.write(1, f"{how} {pid}\n".encode())


if __name__ == "__main__":
    main()
