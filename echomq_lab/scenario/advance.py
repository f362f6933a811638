"""Dive 3 as a run: one period, and three ways to write the next run.

    run = cadence_lanes(conn, queue, every_ms=900_000, run_ms=240_000)
    run.lanes       when each way released its runs
    run.trace       what the store executed for the first of them, EchoMQ's

Start-to-start is EchoMQ's own: register, sweep, advance. The two others are alternatives for comparison, on the same
store: after the same sweep, a plain ZADD writes another score. Sweeps stand at exactly 0, tick, 2 tick, ... after the
first release; those that would find nothing due are passed over.

Source: seed 000, "Producing the next run"; wire contract, "The pump".
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

from echomq_lab import arguments, jobs, pump, repeat, trace
from echomq_lab.clock import FixedClock
from echomq_lab.errors import ArgumentError
from echomq_lab.keyspace import registry_key
from echomq_lab.scenario.cadence import NAME, CadenceRun, Lane, fixed_clock
from echomq_lab.scenario.fresh import fresh_queue
from echomq_lab.store import Connection
from echomq_lab.wording import span

#: What the lanes write after a release: the kind, the rule in words, and whose it is.
LANES = {
    "start": ("release + {every}", "EchoMQ"),
    "finish": ("release + {run} of work + {every}", "not EchoMQ"),
    "score": ("score + {every}", "not EchoMQ"),
}
MOST_CYCLES = 10_000


@dataclass(frozen=True, slots=True)
class ReleaseLane(Lane):
    """The instants at which one way of writing the next run released its runs, ascending, in Unix ms.

    `skips` says of each run how many whole periods late its sweep came: they fire no run of their own.
    """

    every_ms: int = 1
    skips: tuple[int, ...] = ()

    def late_ms(self, run: int) -> int:
        """How much later than whole periods after the first a run (0 is the first) was released, skipped ones aside."""
        periods = run + sum(self.skips[: run + 1])
        return self.marks_ms[run] - self.marks_ms[0] - periods * self.every_ms

    @property
    def drift(self) -> str:
        """How late the last run is, and how many periods were skipped, in words."""
        late_ms, skipped = self.late_ms(len(self.marks_ms) - 1), sum(self.skips)
        drift = f"drift {span(late_ms)}" if late_ms else "no drift"
        return f"{drift}, {skipped} period{'' if skipped == 1 else 's'} skipped" if skipped else drift

    @property
    def source(self) -> str:
        """Whose way it is, and its drift, in words."""
        return f"{self.says}; {self.drift}"


@dataclass(frozen=True, slots=True)
class AdvanceRun(CadenceRun):
    """Runs that have been: `now_ms` is the instant of the first release, `trace` what EchoMQ's lane executed.

    `stopped_ms` are the two instants between which no pump swept, if it was stopped.
    """

    lanes: tuple[ReleaseLane, ...]
    every_ms: int
    run_ms: int
    tick_ms: int
    stopped_ms: tuple[int, int] | None

    @property
    def looks_ahead(self) -> bool:
        """False: the marks are runs that have been."""
        return False

    @property
    def passed_ms(self) -> tuple[int, ...]:
        """The instants at which EchoMQ's lane would have run next while the pump was stopped."""
        if self.stopped_ms is None:
            return ()
        before = [at_ms for at_ms in self.lanes[0].marks_ms if at_ms < self.stopped_ms[0]]
        return tuple(range(before[-1] + self.every_ms, self.stopped_ms[1] + 1, self.every_ms))


def cadence_lanes(
    conn: Connection,
    queue: str,
    every_ms: int = 900_000,
    run_ms: int = 240_000,
    tick_ms: int = 1_000,
    cycles: int = 3,
    *,
    stopped_ms: tuple[int, int] | None = None,
    recorded: bool = True,
) -> AdvanceRun:
    """Release one schedule in three ways, from the lab clock's now: a first run, and one after each of `cycles`.

    `every_ms` is the period, `run_ms` how long a run takes, `tick_ms` the beat of the sweeps. `stopped_ms` are the ms
    after the first release between which the pump is stopped. The clock is left at the last release. Without
    `recorded` the trace stays empty, which is several times faster.
    Raises `ArgumentError` when the connection has no `FixedClock`, or when the queue already has the registration.
    Source: seed 000, "start-to-start"; it calls what others call fixed delay start-to-finish.
    """
    clock = fixed_clock(conn)
    arguments.period_ms("every_ms", every_ms)
    arguments.delay_ms("run_ms", run_ms)
    arguments.period_ms("tick_ms", tick_ms)
    arguments.whole("cycles", cycles, 1, MOST_CYCLES, "a whole number")
    if stopped_ms is not None and not 0 < stopped_ms[0] < stopped_ms[1]:
        raise ArgumentError("stopped_ms", stopped_ms, "two ms after the first release, ascending", "try (1, 3_600_000)")
    start_ms = clock.now_ms()
    stopped = stopped_ms and (start_ms + stopped_ms[0], start_ms + stopped_ms[1])
    beat = _Beat(start_ms, tick_ms, stopped)
    steps = trace.Trace(queue)
    lanes = []
    for kind, (rule, whose) in LANES.items():
        clock.set(start_ms, back=True)
        own = queue if kind == "start" else fresh_queue(conn, f"{queue}-{kind}")
        with trace.record(conn, own) if recorded and kind == "start" else nullcontext(steps) as noted:
            if repeat.register(conn, own, NAME, every_ms, "{}") is repeat.Registered.EXISTS:
                raise ArgumentError("queue", queue, f"a queue without {NAME!r}", "try fresh_queue(conn, 'reports')")
            released = [_release(conn, own, kind, clock, beat, run_ms, every_ms) for _ in range(cycles + 1)]
        steps = noted if kind == "start" else steps
        rule = rule.format(every=span(every_ms), run=span(run_ms) if run_ms else "nothing")
        marks_ms, skips = zip(*released, strict=True)
        lanes.append(ReleaseLane(kind, rule, whose, "UTC", len(released), marks_ms, None, run_ms, every_ms, skips))
    clock.set(lanes[0].marks_ms[-1], back=True)
    return AdvanceRun(start_ms, tuple(lanes), steps, every_ms, run_ms, tick_ms, stopped)


def outage(
    conn: Connection,
    queue: str,
    every_ms: int = 900_000,
    stops_ms: int = 300_000,
    lasts_ms: int = 3_600_000,
    cycles: int = 3,
) -> AdvanceRun:
    """`cadence_lanes` whose pump stops `stops_ms` after the first release and sweeps again `lasts_ms` later."""
    stopped_ms = (stops_ms, stops_ms + lasts_ms)
    return cadence_lanes(conn, queue, every_ms=every_ms, cycles=cycles, stopped_ms=stopped_ms)


@dataclass(frozen=True, slots=True)
class _Beat:
    """When the pump sweeps."""

    start_ms: int
    tick_ms: int
    stopped_ms: tuple[int, int] | None

    def sweep_at(self, due_ms: int) -> int:
        """The first sweep that finds what is due at an instant."""
        at_ms = self._tick(due_ms)
        if self.stopped_ms is not None and self.stopped_ms[0] <= at_ms < self.stopped_ms[1]:
            return self._tick(self.stopped_ms[1])
        return at_ms

    def _tick(self, at_ms: int) -> int:
        return at_ms + (self.start_ms - at_ms) % self.tick_ms


def _release(
    conn: Connection, queue: str, kind: str, clock: FixedClock, beat: _Beat, run_ms: int, every_ms: int
) -> tuple[int, int]:
    """Move the clock to the sweep that releases the next run, sweep, and write the next score as the kind has it.

    Answers the instant of the release, and the whole periods by which it came late.
    """
    due_ms = int(conn.send("ZSCORE", registry_key(queue), NAME))
    at_ms = clock.set(beat.sweep_at(due_ms), back=True)
    pump.sweep(conn, queue)
    if kind == "finish":
        job = jobs.claim(conn, queue, run_ms + 1)
        assert job is not None
        finished_ms = clock.advance(run_ms)
        jobs.complete(conn, queue, job.id, job.attempts)
        conn.send("ZADD", registry_key(queue), finished_ms + every_ms, NAME)
    elif kind == "score":
        conn.send("ZADD", registry_key(queue), at_ms + every_ms - (at_ms - due_ms) % every_ms, NAME)
    return at_ms, (at_ms - due_ms) // every_ms
