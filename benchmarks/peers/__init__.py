"""Other schedulers on the benchmark's own server: each a program that registers, runs and ticks when it is asked.

They are no dependency of the lab's and share no environment with it. Theirs are made below build/, where git and ruff
do not look, from the pins beside this file: requirements.txt for Python's, package-lock.json for Node's.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from types import TracebackType

HERE = Path(__file__).resolve().parent
_BUILD = HERE.parent.parent / "build" / "peers"
_PYTHON_PINS, _NODE_PINS = HERE / "requirements.txt", HERE / "package-lock.json"


class NoPeerError(Exception):
    """A peer cannot be had here; the message says why."""


class Peer:
    """A peer's process; `ask` sends a verb of its program and answers the number that it tells."""

    def __init__(self, command: list[str], env: dict[str, str] | None = None) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        self._process = subprocess.Popen(command, env=env, **pipes)

    def ask(self, verb: str, *numbers: int) -> float:
        """What the peer tells for a verb."""
        self._process.stdin.write(" ".join([verb, *map(str, numbers)]) + "\n")
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args[1]} ended at {verb}; what is above tells why")
        return float(line)

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def apscheduler(socket: str) -> Peer:
    """APScheduler, started. Raises `NoPeerError`."""
    return Peer([str(_python()), str(HERE / "apscheduler_peer.py"), socket])


def rq_scheduler(socket: str) -> Peer:
    """rq-scheduler, started. Raises `NoPeerError`."""
    return Peer([str(_python()), str(HERE / "rq_scheduler_peer.py"), socket])


def bullmq(socket: str) -> Peer:
    """BullMQ, started. Raises `NoPeerError`."""
    modules = str(_modules())
    return Peer(["node", str(HERE / "bullmq_peer.cjs"), socket], env=os.environ | {"NODE_PATH": modules})


def versions() -> dict[str, str]:
    """The pinned versions, by name."""
    pins = dict(re.findall(r"^([a-z-]+)==(\S+)", _PYTHON_PINS.read_text("utf-8"), re.MULTILINE))
    packages = json.loads(_NODE_PINS.read_text("utf-8"))["packages"]
    return {
        "BullMQ": packages["node_modules/bullmq"]["version"],
        "ioredis": packages["node_modules/ioredis"]["version"],
        "rq-scheduler": pins["rq-scheduler"],
        "rq": pins["rq"],
        "APScheduler": pins["apscheduler"],
    }


def _python() -> Path:
    folder = _BUILD / "python"
    python = folder / "bin" / "python"
    if not _is_made(folder, made := _PYTHON_PINS.read_text("utf-8") + sys.version):
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        _install([*pip, "--require-hashes", "-r", str(_PYTHON_PINS)], folder)
        (folder / "made").write_text(made, "utf-8")
    return python


def _modules() -> Path:
    folder = _BUILD / "node"
    if not (shutil.which("node") and shutil.which("npm")):
        raise NoPeerError("needs Node.js")
    if not _is_made(folder, made := _NODE_PINS.read_text("utf-8")):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for pins in (HERE / "package.json", _NODE_PINS):
            shutil.copy(pins, folder)
        # Without install scripts: the one there is would compile what comes compiled.
        _install(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], folder)
        (folder / "made").write_text(made, "utf-8")
    return folder / "node_modules"


def _is_made(folder: Path, made: str) -> bool:
    stamp = folder / "made"
    return stamp.is_file() and stamp.read_text("utf-8") == made


def _install(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["nothing was told"])[-1]
        raise NoPeerError(f"{Path(command[0]).name} could not install it: {said}")
