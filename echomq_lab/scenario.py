"""The dives as runs: real verbs on a real store, under a lab clock that the run moves.

    run = cadences(conn, queue, cron=Cron("0 9 * * *"), every_ms=900_000)
    run.lanes       what each rule names next
    run.trace       what the store executed on the way

Nothing in a run is worked out beside the store, except where a lane says "predicted".

Source: seed 001, "Static verdicts"; architecture, "what a student sees is what ran".
"""

from __future__ import annotations

from dataclasses import dataclass

from echomq_lab import arguments, pump, repeat, trace
from echomq_lab.cadence import Cron, Interval
from echomq_lab.clock import FixedClock
from echomq_lab.errors import ArgumentError
from echomq_lab.keyspace import queue_key, registry_key
from echomq_lab.store import Connection

#: The registration that `cadences` makes.
NAME = "every-gap"
#: More marks than that nobody tells apart on a rail.
MOST_RUNS = 20
PREDICTED = "predicted: computed by the rule"
WRITTEN = "scores that ZADD wrote"


@dataclass(frozen=True, slots=True)
class Lane:
    """The next runs that one rule names, ascending, in Unix ms.

    `kind` is "cron" or "interval", `rule` the rule as written, `says` the rule in English, `tz` the zone its times
    are read in, `source` who answered the marks: `PREDICTED` or `WRITTEN`.
    """

    kind: str
    rule: str
    says: str
    tz: str
    source: str
    marks_ms: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CadenceRun:
    """Two rules over one clock: what each named next, seen from `now_ms`, and the trace of what ran."""

    now_ms: int
    lanes: tuple[Lane, ...]
    trace: trace.Trace


def cadences(conn: Connection, queue: str, *, cron: Cron, every_ms: int, runs: int = 3) -> CadenceRun:
    """Trace a cron rule and an interval over the lab clock, from its now, for `runs` (1 to 20) next runs of each.

    The interval is registered with its first run one gap away; each later run is what a sweep wrote when the clock
    stood exactly at the run before. The clock is left at the last of those. The lab has no cron registration, so the
    cron lane is computed by the rule and says so.
    Raises `ArgumentError` when the connection has no `FixedClock`, or when the queue already has the registration.
    Source: seed 001, "Static verdicts" (08:50: 09:00; 09:05, 09:20, 09:35).
    """
    clock = conn.clock
    if not isinstance(clock, FixedClock):
        raise ArgumentError("the clock", clock, "a FixedClock", "try connect(clock=FixedClock('08:50'))")
    runs = arguments.whole("runs", runs, 1, MOST_RUNS, "a whole number")
    now_ms = clock.now_ms()
    gap = Interval(every_ms)
    slots = tuple(cron.marks(now_ms, runs))
    with trace.record(conn, queue) as steps:
        if repeat.register(conn, queue, NAME, every_ms, "{}", every_ms) is repeat.Registered.EXISTS:
            raise ArgumentError("queue", queue, f"a queue without {NAME!r}", "try fresh_queue(conn, 'reports')")
        for _ in range(runs - 1):
            clock.set(scores(steps, NAME)[-1])
            pump.sweep(conn, queue)
    lanes = (
        Lane("cron", cron.expr, cron.sentence(), cron.tz, PREDICTED, slots),
        Lane("interval", f"every_ms {every_ms}", gap.sentence(), "UTC", WRITTEN, tuple(scores(steps, NAME))),
    )
    return CadenceRun(now_ms, lanes, steps)


def scores(steps: trace.Trace, name: str) -> list[int]:
    """The next-run milliseconds that scripts wrote into the registry for a name by ZADD, in order."""
    zadd = ("ZADD", registry_key(steps.queue))
    calls = [call for step in steps.steps for call in step.calls]
    return [int(call[2]) for call in calls if call[:2] == zadd and call[3] == name]


def fresh_queue(conn: Connection, name: str) -> str:
    """The first of `name`, `name-2`, `name-3`, ... that has no key in the store, so that a setup cell can run again.

    Nothing is deleted: on a server of one's own an earlier run stays where it is.
    """
    queue, number = name, 1
    while trace.keys_of(conn.client, queue_key(queue, "")):
        number += 1
        queue = f"{name}-{number}"
    return queue
