"""Writes requirements.lock from the ranges in pyproject.toml, and environment.yml from requirements.lock.

    python .ci/lock.py [uv pip compile's options, such as --upgrade or --upgrade-package NAME]

One lock serves Python 3.11 to 3.13 on Linux and macOS: pins that only some of them need carry a marker.
"""

from __future__ import annotations

import re
import subprocess
import sys
import venv
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
LOCK = TOP / "requirements.lock"
ENVIRONMENT = TOP / "environment.yml"

LOCK_HEADER = """\
# What `make setup` installs: every package at one version, with the hashes of its files.
# Written by `make lock` from the ranges in pyproject.toml; not edited by hand.
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


def compile_lock(options: list[str]) -> None:
    """Resolve with uv, in a scratch environment of its own; what is pinned stays unless an option upgrades it."""
    scratch = TOP / "build" / "uv"
    uv = scratch / "bin" / "uv"
    if not uv.exists():
        venv.create(scratch, with_pip=True, clear=True)
        subprocess.run([scratch / "bin" / "python", "-m", "pip", "install", "--quiet", "uv"], check=True)
    command = [uv, "pip", "compile", "--quiet", "--universal", "--fork-strategy", "fewest", "--generate-hashes"]
    command += ["--no-header", "--no-emit-index-url", "--extra", "valkey", "--extra", "dev"]
    subprocess.run([*command, *options, "pyproject.toml", "-o", LOCK.name], cwd=TOP, check=True)
    LOCK.write_text(LOCK_HEADER + LOCK.read_text("utf-8"), "utf-8")


def environment(lock: str) -> str:
    """The text of environment.yml for the text of a lock."""
    pins = re.findall(r"^([a-z0-9][^\n]*?) \\$", lock, re.MULTILINE)
    lines = [f'      - "{pin}"' if ";" in pin else f"      - {pin}" for pin in pins]
    return ENVIRONMENT_HEADER + "\n".join([*lines, "      - -e ."]) + "\n"


if __name__ == "__main__":
    compile_lock(sys.argv[1:])
    ENVIRONMENT.write_text(environment(LOCK.read_text("utf-8")), "utf-8")
