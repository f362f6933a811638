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
from echomq_lab.clock import MAX_MS, FixedClock, iso
from echomq_lab.errors import ArgumentError
from echomq_lab.ids import EPOCH_MS, LAST_MS
from echomq_lab.keyspace import registry_key
from echomq_lab.store import Connection, takes_connection

#: The registration that `cadences` makes.
NAME = "every-gap"
#: More marks than that nobody tells apart on a rail.
MOST_RUNS = 20


@dataclass(frozen=True, slots=True)
class Lane:
    """The next runs that one rule names, ascending, in Unix ms.

    `kind` is "cron" or "interval", `rule` the rule as written, `says` the rule in English, `tz` the zone its times
    are read in. The first `written` marks are scores that the store held; those after them are predicted. `starts_ms`
    is where an interval's first gap begins, where it is known; `run_ms` how long a run takes, where that matters.
    """

    kind: str
    rule: str
    says: str
    tz: str
    written: int
    marks_ms: tuple[int, ...]
    starts_ms: int | None = None
    run_ms: int = 0

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

    @property
    def looks_ahead(self) -> bool:
        """Whether the marks are runs that come after now, not runs that have been."""
        return True


def cadences(conn: Connection, queue: str, *, cron: Cron, every_ms: int, runs: int = 3) -> CadenceRun:
    """Trace a cron rule and an interval over the lab clock, from its now, for `runs` (1 to 20) next runs of each.

    The interval is registered with its first run one gap away; each later run is what a sweep wrote when the clock
    stood exactly at the run before. The clock is left at the last of those. The lab has no cron registration, so the
    cron lane is computed by the rule and says so.
    Raises `ArgumentError`, with nothing written and the clock where it was, when the connection has no `FixedClock`,
    when the queue already has the registration, or when the runs reach past the calendar or past what ids can tell.
    Source: seed 001, "Static verdicts" (08:50: 09:00; 09:05, 09:20, 09:35).
    """
    clock = fixed_clock(conn)
    _takes_cron(cron)
    runs = arguments.whole("runs", runs, 1, MOST_RUNS, "a whole number")
    now_ms = clock.now_ms()
    gap = _gap(every_ms, now_ms, runs)
    _mints(now_ms, every_ms, runs)
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
        self.clock = fixed_clock(conn)
        self.trace = trace.Trace(queue)
        self.cron = cron
        self.register(every_ms)

    @property
    def cron(self) -> Cron:
        """The cron rule; another may be set at any time, since nothing of it is stored."""
        return self._cron

    @cron.setter
    def cron(self, cron: Cron) -> None:
        _takes_cron(cron)
        self._cron, self._says = cron, cron.sentence()
        self._asked: tuple[int, tuple[int, ...]] = (0, ())

    def register(self, every_ms: int) -> None:
        """Cancel the interval and register it with another gap, from the clock's now.

        Raises `ArgumentError` for a gap that ends past the calendar.
        """
        gap = _gap(every_ms, self.clock.now_ms(), 1)
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
        """What the two rules name next: `runs` slots, and the registry's score with the gaps that would follow.

        Of these only those before the end of the calendar.
        """
        runs = arguments.how_many("runs", runs)
        now_ms = self.clock.now_ms()
        score = self.conn.send("ZSCORE", registry_key(self.queue), NAME)
        if score is None:
            raise ArgumentError("queue", self.queue, f"a queue that still has {NAME!r}", "register it again")
        score_ms = int(score)
        every_ms = self.gap.every_ms
        # What is due waits for a sweep, and the run after it is measured from that release.
        from_ms = max(score_ms, now_ms)
        marks = (score_ms, *self.gap.marks(from_ms, min(runs - 1, (MAX_MS - from_ms) // every_ms)))
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


def takes_run(run: CadenceRun) -> None:
    """Refuse what is no run of rules."""
    hint = "try run = scenario.cadences(conn, 'reports', cron=Cron('0 9 * * *'), every_ms=900_000)"
    arguments.instance("run", run, CadenceRun, "a run of two rules", hint)


def _takes_cron(cron: Cron) -> None:
    arguments.instance("cron", cron, Cron, "a Cron", "try Cron('0 9 * * *')")


def _gap(every_ms: int, now_ms: int, runs: int) -> Interval:
    """The interval, if so many of its runs after now end in the calendar."""
    gap = Interval(every_ms)
    if now_ms + runs * every_ms > MAX_MS:
        allowed = f"at most {(MAX_MS - now_ms) // runs} here, so that run {runs} is in the calendar"
        raise ArgumentError("every_ms", every_ms, allowed, "fifteen minutes are 900000")
    return gap


def _mints(now_ms: int, every_ms: int, runs: int) -> None:
    """Refuse a run whose sweeps, each at the run before it, would stand where no id can be minted."""
    if runs == 1:
        return
    if now_ms + every_ms < EPOCH_MS or now_ms > LAST_MS:
        allowed = "between 2024-01-01 and 2093-09-06 to mint an id"
        raise ArgumentError("the clock", iso(now_ms), allowed, "move the lab clock")
    if now_ms + (runs - 1) * every_ms > LAST_MS:
        allowed = f"at most {(LAST_MS - now_ms) // (runs - 1)} here, so that an id can be minted at run {runs - 1}"
        raise ArgumentError("every_ms", every_ms, allowed, "take a shorter gap or fewer runs")


@takes_connection
def fixed_clock(conn: Connection) -> FixedClock:
    """The connection's clock, if it stands still. Raises `ArgumentError` for one that does not."""
    if not isinstance(conn.clock, FixedClock):
        raise ArgumentError("the clock", conn.clock, "a FixedClock", "try connect(clock=FixedClock('08:50'))")
    return conn.clock


def scores(steps: trace.Trace, name: str) -> list[int]:
    """The next-run milliseconds that scripts wrote into the registry for a name by ZADD, in order."""
    zadd = ("ZADD", registry_key(steps.queue))
    calls = [call for step in steps.steps for call in step.calls]
    return [int(call[2]) for call in calls if call[:2] == zadd and call[3] == name]
