"""Dive 1 as a run: what a cron rule and an interval name next.

    run = cadences(conn, queue, cron=Cron("0 9 * * *"), every_ms=900_000)
    run.lanes       what each rule names next
    run.trace       what the store executed on the way

Source: seed 001, "Static verdicts".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from echomq_lab import arguments, pump, repeat, trace
from echomq_lab.cadence import Cron, Interval
from echomq_lab.clock import FixedClock
from echomq_lab.errors import ArgumentError
from echomq_lab.keyspace import registry_key
from echomq_lab.store import Connection

#: The registration that `cadences` makes.
NAME = "every-gap"
#: More marks than that nobody tells apart on a rail.
MOST_RUNS = 20


@dataclass(frozen=True, slots=True)
class Lane:
    """The next runs that one rule names, ascending, in Unix ms.

    `kind` is "cron" or "interval", `rule` the rule as written, `says` the rule in English, `tz` the zone its times
    are read in. The first `written` marks are scores that the store held; those after them are predicted. `starts_ms`
    is where an interval's first gap begins, where it is known.
    """

    kind: str
    rule: str
    says: str
    tz: str
    written: int
    marks_ms: tuple[int, ...]
    starts_ms: int | None = None

    @property
    def source(self) -> str:
        """Who answered the marks, in words."""
        if self.written == 0:
            return "predicted: computed by the rule"
        if self.written == len(self.marks_ms):
            return "scores that ZADD wrote"
        return "first what ZADD wrote, then predicted"


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
    clock = _fixed(conn)
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
        Lane("cron", cron.expr, cron.sentence(), cron.tz, 0, slots),
        Lane("interval", f"every_ms {every_ms}", gap.sentence(), "UTC", runs, tuple(scores(steps, NAME)), now_ms),
    )
    return CadenceRun(now_ms, lanes, steps)


class Cadences:
    """Two rules under a lab clock that is moved at will, both ways: the live form of `cadences`.

    The interval is registered on the store with its first run one gap away. Its marks stand where the registry has the
    score, whatever the clock says, until a sweep releases it. `trace` holds every command that went out.
    Raises what `cadences` raises.
    """

    def __init__(self, conn: Connection, queue: str, *, cron: Cron, every_ms: int) -> None:
        self.conn, self.queue = conn, queue
        self.clock = _fixed(conn)
        self.trace = trace.Trace(queue)
        self.cron = cron
        self.register(every_ms)

    @property
    def cron(self) -> Cron:
        """The cron rule; another may be set at any time, since nothing of it is stored."""
        return self._cron

    @cron.setter
    def cron(self, cron: Cron) -> None:
        self._cron, self._says = cron, cron.sentence()
        self._asked: tuple[int, tuple[int, ...]] = (0, ())

    def register(self, every_ms: int) -> None:
        """Cancel the interval and register it with another gap, from the clock's now."""
        gap = Interval(every_ms)
        with self._recorded():
            repeat.cancel(self.conn, self.queue, NAME)
            repeat.register(self.conn, self.queue, NAME, every_ms, "{}", every_ms)
        self.gap = gap

    def move(self, to_ms: int) -> None:
        """Stand the clock at an instant in Unix ms, also an earlier one. Nothing runs by itself."""
        self.clock.set(to_ms, back=True)

    def sweep(self) -> pump.Sweep:
        """One tick of the pump at the clock's now."""
        with self._recorded():
            return pump.sweep(self.conn, self.queue)

    def run(self, runs: int = 5) -> CadenceRun:
        """What the two rules name next: `runs` slots, and the registry's score with the gaps that would follow."""
        now_ms = self.clock.now_ms()
        score_ms = int(self.conn.send("ZSCORE", registry_key(self.queue), NAME))
        every_ms = self.gap.every_ms
        # What is due waits for a sweep, and the run after it is measured from that release.
        marks = (score_ms, *self.gap.marks(max(score_ms, now_ms), runs - 1))
        lanes = (
            Lane("cron", self._cron.expr, self._says, self._cron.tz, 0, self._slots(now_ms, runs)),
            Lane("interval", f"every_ms {every_ms}", self.gap.sentence(), "UTC", 1, marks, score_ms - every_ms),
        )
        return CadenceRun(now_ms, lanes, self.trace)

    def _slots(self, now_ms: int, runs: int) -> tuple[int, ...]:
        """The next slots: the same ones until the clock passes the first, or goes back before it was asked."""
        asked_ms, slots = self._asked
        if len(slots) != runs or not asked_ms <= now_ms <= slots[0]:
            self._asked = asked_ms, slots = now_ms, tuple(self._cron.marks(now_ms, runs))
        return slots

    @contextmanager
    def _recorded(self) -> Iterator[None]:
        with trace.record(self.conn, self.queue) as steps:
            yield
        self.trace.steps += steps.steps


def _fixed(conn: Connection) -> FixedClock:
    if not isinstance(conn.clock, FixedClock):
        raise ArgumentError("the clock", conn.clock, "a FixedClock", "try connect(clock=FixedClock('08:50'))")
    return conn.clock


def scores(steps: trace.Trace, name: str) -> list[int]:
    """The next-run milliseconds that scripts wrote into the registry for a name by ZADD, in order."""
    zadd = ("ZADD", registry_key(steps.queue))
    calls = [call for step in steps.steps for call in step.calls]
    return [int(call[2]) for call in calls if call[:2] == zadd and call[3] == name]
