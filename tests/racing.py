"""A pump in a process of its own that starts to sweep when all of a race stand at the line.

The processes are spawned and import this module alone, so it holds nothing but them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.synchronize import Barrier

from echomq_lab import pump, repeat
from echomq_lab.clock import FixedClock
from echomq_lab.store import connect

_PATIENCE_S = 300
_line: Barrier


def _stand_at(line: Barrier) -> None:
    global _line
    _line = line
    threading.Thread(target=_end_with_the_tests, daemon=True).start()


def _end_with_the_tests() -> None:
    """When they are killed, nobody else tells a pump that no race will come."""
    tests = parent_process()
    assert tests is not None
    tests.join()
    os._exit(1)


def _race(url: str, queue: str, batch: int, way: str, node: int) -> int:
    """Sweep until nothing is due; answer how many occurrences this pump says that it fired."""
    with connect(url, clock=FixedClock("08:50"), node=node) as conn:
        fired = 0
        _line.wait(_PATIENCE_S)
        while repeat.due_names(conn, queue, 1):
            fired += getattr(pump, way)(conn, queue, batch).fired
        return fired


class Racers:
    """So many processes, each a pump; a race is one call."""

    def __init__(self, processes: ProcessPoolExecutor, count: int) -> None:
        self._processes = processes
        self._count = count

    def race(self, url: str, queue: str, batch: int, way: str) -> list[int]:
        """What each of the pumps fired, each on a connection and a node of its own; they start together."""
        running = [self._processes.submit(_race, url, queue, batch, way, node) for node in range(self._count)]
        return [each.result(_PATIENCE_S) for each in running]


@contextmanager
def racers(count: int) -> Iterator[Racers]:
    """Processes for the races of `count` pumps."""
    context = get_context("spawn")
    line = context.Barrier(count)
    with ProcessPoolExecutor(count, context, initializer=_stand_at, initargs=(line,)) as processes:
        yield Racers(processes, count)
