"""What the tests of grading share: whether isolation is to be had here, a room, and who is running."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from echomq_lab.grading.outer_walls import missing
from echomq_lab.grading.room import Room


def needs_isolation() -> None:
    """Skip where there is no isolation, with the command that brings it; in CI it has to be there."""
    if why := missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(why)


@contextmanager
def a_room() -> Iterator[Room]:
    needs_isolation()
    with Room() as room:
        yield room


def descendants(pid: int) -> dict[int, str]:
    """The processes that a process started, and those that they did, by number: the command of each."""
    parents, names = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(") ")
            state, parent = rest.split()[:2]
        except (OSError, ValueError):
            continue
        if state != "Z":
            parents[int(folder.name)], names[int(folder.name)] = int(parent), name
    found: dict[int, str] = {}
    level = {pid}
    while level := {child for child, parent in parents.items() if parent in level}:
        found |= {child: names[child] for child in level}
    return found


def soon(holds: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether something comes true in time: what another process does takes a moment."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
