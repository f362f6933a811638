"""`echomq-lab pump QUEUE`: a pump as a process of its own.

It sweeps from one tick after its start until SIGTERM or Ctrl-C, and finishes the sweep in hand; the same signal once
more ends it at once. When the server goes away it tries again, ever more seldom, and goes on when it is back; a server
that is not there at the start is a mistake.

Its log goes to standard error, one JSON object a line: `at_ms` (the machine's clock), `level`, `event`, and for an
event of the pump `queue` and these figures:

    ready         url, tick_ms, batch, atomic
    sweep         promoted, fired, swept, broken, took_ms: a sweep that did something, or found other names broken
    status        fired since the start, due and lag_ms now: every ten seconds, when it is not what it was
    not_promoted  error: the one-shot jobs stay where they are
    not_fired     name, error: the registration is still due
    error         error: why a sweep failed; told once, not at every tick
    lost          error, retry_in_ms: the line to the server was lost
    back          after: so many tries in vain
    stopping      signal: the sweep in hand is being finished
    stopped       promoted, fired, swept since the start

On a terminal one live line takes the place of `status`.

Source: wire contract, "The pump".
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from unicodedata import east_asian_width

from echomq_lab import repeat
from echomq_lab.errors import LabError, StoreError
from echomq_lab.keyspace import queue_name
from echomq_lab.pump import Pump, tell
from echomq_lab.store import connect_to_server
from echomq_lab.wording import visible

_LOOK_S = 0.2
_STATUS_S = 10.0
#: To the start of the terminal's line, and clear it.
_CLEAR = "\r\x1b[K"


class _Asked:
    """Which signal asked the process to stop."""

    number: int | None = None

    def __call__(self, number: int, _: FrameType | None) -> None:
        self.number = number
        # The next one finds the system's own answer, which is to end at once.
        signal.signal(number, signal.SIG_DFL)


class _JsonLines(logging.Formatter):
    """A record as one JSON object; on a terminal it takes the place of the live line."""

    def format(self, record: logging.LogRecord) -> str:
        event, figures = getattr(record, "event", "message"), getattr(record, "figures", {"text": record.getMessage()})
        told = {"at_ms": int(record.created * 1000), "level": record.levelname.lower(), "event": event, **figures}
        return (_CLEAR if _live() and sys.stderr.isatty() else "") + json.dumps(told)


def run(options: argparse.Namespace) -> int:
    """Pump until asked to stop: 0 after SIGTERM, 130 after Ctrl-C. Raises a `LabError` for a mistake."""
    queue_name(options.queue)
    asked = _Asked()
    before = [(number, signal.signal(number, asked)) for number in (signal.SIGTERM, signal.SIGINT)]
    try:
        with connect_to_server(options.url) as conn, _logged():
            pump = Pump(conn, options.queue, options.tick_ms, options.batch, options.atomic)
            figures = {"tick_ms": pump.tick_ms, "batch": pump.batch, "atomic": options.atomic}
            tell(logging.INFO, "ready", pump.queue, url=conn.url, **figures)
            with pump:
                _watch(pump, asked)
                if asked.number is not None:
                    tell(logging.INFO, "stopping", pump.queue, signal=signal.Signals(asked.number).name)
            total = pump.total
            ends = {"promoted": total.promoted, "fired": total.fired, "swept": total.swept}
            tell(logging.INFO, "stopped", pump.queue, **ends)
    finally:
        for number, answer in before:
            signal.signal(number, answer)
    if asked.number is None:
        return 1  # the thread died of a fault of the lab's, whose traceback Python has printed
    return 130 if asked.number == signal.SIGINT else 0


def _watch(pump: Pump, asked: _Asked) -> None:
    """Wait until the process is asked to stop, and tell meanwhile how the pump is doing."""
    told: dict[str, int] = {}
    next_s = time.monotonic()
    while asked.number is None and pump.running:
        time.sleep(_LOOK_S)
        if _live():
            _paint(_line(pump))
        elif time.monotonic() >= next_s and (figures := _figures(pump)) not in (None, told):
            told = figures
            tell(logging.INFO, "status", pump.queue, **figures)
            next_s = time.monotonic() + _STATUS_S
    if _live():
        _paint("")


def _figures(pump: Pump) -> dict[str, int] | None:
    """How the pump is doing; None while the line is lost."""
    if pump.lost is not None:
        return None
    try:
        return {"fired": pump.total.fired, **repeat.backlog(pump.conn, pump.queue)._asdict()}
    except LabError:
        return None


def _line(pump: Pump) -> str:
    figures = _figures(pump)
    if figures is None:
        why = "the line to the server is lost, trying again" if isinstance(pump.lost, StoreError) else "no figures"
        return f"{pump.total.fired} fired, {why}: {visible(pump.queue)}"
    lag_s = figures["lag_ms"] / 1000
    return f"{figures['fired']} fired, {figures['due']} due, lag {lag_s:.1f} s: {visible(pump.queue)}"


def _live() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _paint(line: str) -> None:
    columns = shutil.get_terminal_size().columns - 1
    while sum(2 if east_asian_width(c) in "WF" else 1 for c in line) > columns:
        line = line[:-1]
    sys.stdout.write(_CLEAR + line)
    sys.stdout.flush()


@contextmanager
def _logged() -> Iterator[None]:
    """The lab's log as JSON lines on standard error, and nowhere else, while the block runs."""
    log = logging.getLogger("echomq_lab")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines())
    level, passes_on = log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        log.propagate = passes_on
