"""Writes requirements.lock from the ranges in pyproject.toml, and environment.yml from requirements.lock.

The pins of the benchmark's peers are written beside their ranges, in benchmarks/peers, those of Node's where npm is.

    python .ci/lock.py [uv pip compile's options, such as --upgrade or --upgrade-package NAME]

One lock serves Python 3.11 to 3.13 on Linux and macOS: pins that only some of them need carry a marker.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
LOCK = TOP / "requirements.lock"
ENVIRONMENT = TOP / "environment.yml"
PEERS = TOP / "benchmarks" / "peers"

LOCK_HEADER = """\
# What `make setup` installs: every package at one version, with the hashes of its files.
# Written by `make lock` from the ranges in pyproject.toml; not edited by hand.
"""
PEERS_HEADER = """\
# The Python of the benchmark's peers, with the hashes of its files: no part of the lab.
# Written by `make lock` from requirements.in; not edited by hand.
"""
ENVIRONMENT_HEADER = """\
# The same lab for conda, mamba and Binder: `conda env create -f environment.yml`, in a clone.
# The pins are those of requirements.lock. Written by `make lock`; not edited by hand.
name: echomq-lab
channels:
  - conda-forge
dependencies:
  - python=3.12
  - pip
  - pip:
"""


def compile_pins(source: Path, target: Path, header: str, options: list[str]) -> None:
    """Resolve with uv, in a scratch environment of its own; what is pinned stays unless an option upgrades it."""
    scratch = TOP / "build" / "uv"
    uv = scratch / "bin" / "uv"
    if not uv.exists():
        venv.create(scratch, with_pip=True, clear=True)
        subprocess.run([scratch / "bin" / "python", "-m", "pip", "install", "--quiet", "uv"], check=True)
    command = [uv, "pip", "compile", "--quiet", "--universal", "--fork-strategy", "fewest", "--generate-hashes"]
    command += ["--no-header", "--no-emit-index-url"]
    subprocess.run([*command, *options, source.name, "-o", target.name], cwd=source.parent, check=True)
    target.write_text(header + target.read_text("utf-8"), "utf-8")


def lock_peers(options: list[str]) -> None:
    """Pin the benchmark's peers; the lock of Node's names no registry."""
    compile_pins(
        PEERS / "requirements.in", PEERS / "requirements.txt", PEERS_HEADER, ["--python-version", "3.11", *options]
    )
    if shutil.which("npm"):
        quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        command = ["npm", "install", "--package-lock-only", "--omit-lockfile-registry-resolved=true", *quietly]
        subprocess.run(command, cwd=PEERS, check=True)
        node = PEERS / "package-lock.json"
        node.write_text(without_hosts(node.read_text("utf-8")), "utf-8")


def without_hosts(lock: str) -> str:
    """The text of npm's lock without what names a host and installs nothing: where to send money."""
    told = json.loads(lock)
    for package in told["packages"].values():
        package.pop("funding", None)
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def environment(lock: str) -> str:
    """The text of environment.yml for the text of a lock."""
    pins = re.findall(r"^([a-z0-9][^\n]*?) \\$", lock, re.MULTILINE)
    lines = [f'      - "{pin}"' if ";" in pin else f"      - {pin}" for pin in pins]
    return ENVIRONMENT_HEADER + "\n".join([*lines, "      - -e ."]) + "\n"


if __name__ == "__main__":
    compile_pins(TOP / "pyproject.toml", LOCK, LOCK_HEADER, ["--extra", "valkey", "--extra", "dev", *sys.argv[1:]])
    ENVIRONMENT.write_text(environment(LOCK.read_text("utf-8")), "utf-8")
    lock_peers(sys.argv[1:])
