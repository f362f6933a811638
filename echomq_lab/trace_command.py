"""What `echomq-lab trace` prints: two rules over one clock, in text, as JSON, or drawn into a file.

The interval is registered on a store in this process; its first run is the score that the registry then holds.

Source: seed 001, "Static verdicts"; widgets, 1.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import tempfile
from pathlib import Path

from echomq_lab import readout
from echomq_lab.cadence import Cron
from echomq_lab.clock import MAX_MS, FixedClock, instant_ms, span_ms
from echomq_lab.errors import ArgumentError
from echomq_lab.layout import lay_out
from echomq_lab.scenario import MOST_RUNS, CadenceRun, Cadences
from echomq_lab.store import FAKEREDIS, connect
from echomq_lab.wording import UnshowableError, visible

_QUEUE = "dive-1"
# One more than the last instant of the calendar has.
_MOST_DIGITS = 16
_MOST_OF_A_PATH = 4_096


def answer(options: argparse.Namespace) -> str:
    """Trace the rules that the options spell, and answer what to print; with `png` or `svg`, the path of the picture.

    Raises `ArgumentError` or `CronError` for what no rule, clock, count or file can be.
    """
    cadences, runs = _cadences(options)
    with cadences.conn:
        run = cadences.run(runs)
    if options.json:
        return _json(run, cadences.gap.every_ms)
    try:
        if options.png is not None:
            return _drawn(run, "--png", options.png)
        if options.svg is not None:
            return _drawn(run, "--svg", options.svg)
        return "\n\n".join((lay_out(run).alt, readout.verdicts(run), str(readout.marks(run))))
    except UnshowableError:
        # The rail's edge, or a slot in a zone ahead of UTC, lies past the last day of Python's calendar.
        allowed = "early enough that a clock can show the runs"
        raise ArgumentError("--now", options.now, allowed, "the calendar ends with the year 9999") from None


def _cadences(options: argparse.Namespace) -> tuple[Cadences, int]:
    runs = _number(options.n)
    if isinstance(runs, str) or not 1 <= runs <= MOST_RUNS:
        raise ArgumentError("-n", options.n, f"a whole number from 1 to {MOST_RUNS}")
    now_ms = instant_ms(_number(options.now), "--now")
    every_ms = span_ms(_number(options.every), "--every")
    if every_ms < 1 or now_ms + runs * every_ms > MAX_MS:
        allowed = f"a gap of 1 ms or more with run {runs} before the year 10000"
        raise ArgumentError("--every", options.every, allowed, "fifteen minutes are 900000, or 15m")
    cron = Cron(options.cron, options.tz)
    return Cadences(connect(FAKEREDIS, clock=FixedClock(now_ms)), _QUEUE, cron=cron, every_ms=every_ms), runs


def _number(text: str) -> int | str:
    """Digits as the number that they spell, other text as it is."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else text


def _json(run: CadenceRun, every_ms: int) -> str:
    cron, interval = ({"next_ms": lane.marks_ms[0], "marks_ms": lane.marks_ms} for lane in run.lanes)
    rule = run.lanes[0]
    return json.dumps(
        {
            "now_ms": run.now_ms,
            "cron": {"expr": rule.rule, "tz": rule.tz, "sentence": rule.says, **cron},
            "interval": {"every_ms": every_ms, **interval},
        }
    )


def _drawn(run: CadenceRun, flag: str, name: str) -> str:
    """Draw the run into a file that appears whole or not at all."""
    ending = f".{flag.removeprefix('--')}"
    path = Path(name)
    if path.suffix != ending:
        raise ArgumentError(flag, name, f"a file that ends in {ending}", f"try 'rail{ending}'")
    try:
        # A link stays one: written is the file that it leads to.
        target = Path(os.path.realpath(path))
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        with tempfile.TemporaryDirectory(prefix=".", dir=target.parent) as folder:
            # Late: matplotlib takes longer to load than all else does together.
            from echomq_lab import figures

            os.replace(figures.rail(run).save(Path(folder, f"rail{ending}")), target)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ArgumentError(flag, name, "a file that can be written", why) from error
    return visible(name, _MOST_OF_A_PATH)
