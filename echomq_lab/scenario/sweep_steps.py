"""One sweep under a knife: the pump's own sweep, stopped or disturbed between any two of its steps.

    sweep_steps(conn, queue)                   the whole sweep, step by step
    sweep_steps(conn, queue, kill_before=6)    killed before its sixth step; then the next tick
    sweep_steps(conn, queue, way="one script") the same with the atomic sweep
    cancelled_midway(conn, queue, name, 5)     somebody cancels before the fifth step
    two_pumps(conn, queue, 5)                  another pump sweeps before the fifth step

A step is a command that goes out, or the minting of ids on the host. The sweep that is killed is `pump.sweep` itself:
the connection raises in its hands. So a kill before a step is also a lost reply of the step before it.

Source: wire contract, "The pump" and "Two sweeps"; architecture, "kill points".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from echomq_lab import arguments, jobs, pump, repeat, trace
from echomq_lab.errors import ArgumentError, LabError
from echomq_lab.scenario.cadence import fixed_clock
from echomq_lab.store import Connection

ENQUEUE_FIRST, ADVANCE_FIRST, ONE_SCRIPT = "enqueue, then advance", "advance, then enqueue", "one script"
#: The steps of a sweep that finds one registration due, by the way it sweeps.
STEPS = {
    ENQUEUE_FIRST: ("promote", "due", "record", "mint", "enqueue", "advance"),
    ADVANCE_FIRST: ("promote", "due", "record", "advance", "mint", "enqueue"),
    ONE_SCRIPT: ("promote", "count", "mint", "sweep"),
}
TICK_MS = 1_000
#: The node of the second pump's ids.
_OTHER_NODE = 1
_NAMES = {"ZRANGEBYSCORE": "due", "HMGET": "record", "ZCOUNT": "count"}


class _KilledError(LabError):
    """The pump was killed here."""


@dataclass(frozen=True, slots=True)
class Done:
    """One step that was done: its name, the command that went out (None for a minted id), who sent it."""

    name: str
    step: trace.Step | None
    by: str = "pump"


@dataclass(frozen=True, slots=True)
class SweepRun:
    """A sweep and what the next tick, a second later, did.

    `at_ms` is its instant, `steps` are the steps that were done, `answer` what the sweep told, None when it was killed;
    `then` and `then_answer` are those of the next tick. `jobs` counts what became of the occurrence.
    """

    queue: str
    way: str
    at_ms: int
    steps: tuple[Done, ...]
    answer: pump.Sweep | None
    then: tuple[Done, ...]
    then_answer: pump.Sweep
    jobs: int
    trace: trace.Trace

    @property
    def fate(self) -> str:
        """What became of the one occurrence that was due: it ran once, twice, not at all, or was lost by a kill."""
        none = "lost" if self.answer is None else "not at all"
        return {0: none, 1: "once", 2: "twice"}.get(self.jobs, f"{self.jobs} times")


def sweep_steps(
    conn: Connection, queue: str, *, kill_before: int | None = None, way: str = ENQUEUE_FIRST, batch: int = 100
) -> SweepRun:
    """Sweep once, killed before step number `kill_before` (1 is the first; one past the last: its reply is lost).

    `way` is one of `STEPS`: EchoMQ's order, the other order (not EchoMQ), or the atomic sweep. The clock is moved by a
    second for the next tick. Raises `ArgumentError` for another way, for a step that the sweep never reaches, and when
    the connection has no `FixedClock`.
    """

    def kill(_: Connection) -> None:
        raise _KilledError(f"killed before step {kill_before}")

    return _run(conn, queue, way, kill_before, kill, batch)


def cancelled_midway(conn: Connection, queue: str, name: str, before: int, *, way: str = ENQUEUE_FIRST) -> SweepRun:
    """Sweep once, while another connection cancels `name` before step number `before`. Raises as `sweep_steps`."""

    def cancel(other: Connection) -> None:
        repeat.cancel(other, queue, name)

    return _run(conn, queue, way, before, cancel, 100)


def two_pumps(conn: Connection, queue: str, before: int, *, way: str = ENQUEUE_FIRST) -> SweepRun:
    """Sweep once, while another pump sweeps too, all of it before step number `before`. Raises as `sweep_steps`."""

    def sweep(other: Connection) -> None:
        _sweep(other, queue, way, 100)

    return _run(conn, queue, way, before, sweep, 100)


def _run(
    conn: Connection, queue: str, way: str, at: int | None, act: Callable[[Connection], None], batch: int
) -> SweepRun:
    clock = fixed_clock(conn)
    if way not in STEPS:
        raise ArgumentError("way", way, f"one of {', '.join(map(repr, STEPS))}", f"EchoMQ's is {ENQUEUE_FIRST!r}")
    if at is not None:
        arguments.whole("the step", at, 1, 10_000, "a whole number")
    before, at_ms = jobs.pending_size(conn, queue), clock.now_ms()
    with trace.record(conn, queue) as recorded, _knife(conn, queue, recorded, at, act) as (done, next_step):
        try:
            answer: pump.Sweep | None = _sweep(conn, queue, way, batch)
            next_step()
        except _KilledError:
            answer = None
    had = sum(each.by == "pump" for each in done)
    if at is not None and at > had + 1:
        raise ArgumentError("the step", at, f"at most {had + 1} here: the sweep had {had} steps")
    clock.advance(TICK_MS)
    with trace.record(conn, queue) as after, _knife(conn, queue, after, None, act) as (then, _):
        then_answer = _sweep(conn, queue, way, batch)
    recorded.steps += after.steps
    became = jobs.pending_size(conn, queue) - before
    return SweepRun(queue, way, at_ms, tuple(done), answer, tuple(then), then_answer, became, recorded)


def _sweep(conn: Connection, queue: str, way: str, batch: int) -> pump.Sweep:
    if way == ONE_SCRIPT:
        return pump.sweep_atomic(conn, queue, batch)
    if way == ENQUEUE_FIRST:
        return pump.sweep(conn, queue, batch)
    return _advance_first(conn, queue, batch)


def _advance_first(conn: Connection, queue: str, batch: int) -> pump.Sweep:
    """The order that EchoMQ does not take: the entry moves on before its job is there."""
    promoted, fired = jobs.promote(conn, queue, batch), 0
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if every_ms is None or template is None:
            continue
        repeat.advance(conn, queue, name, int(every_ms))
        jobs.enqueue(conn, queue, conn.mint(), template)
        fired += 1
    return pump.Sweep(promoted, fired, 0)


@contextmanager
def _knife(
    conn: Connection, queue: str, recorded: trace.Trace, at: int | None, act: Callable[[Connection], None]
) -> Iterator[tuple[list[Done], Callable[[], None]]]:
    """Note each step that is done while the block runs, and call `act` before step number `at`.

    Answers the list of them, and what is called before each step: by the block once more, after the last one.
    """
    done: list[Done] = []
    execute: Callable[..., Any] = conn.client.execute_command
    mint, mint_many = conn.mint, conn.mint_many
    number = 0

    def before_a_step() -> None:
        nonlocal number
        number += 1
        if number != at:
            return
        other = conn.another(node=_OTHER_NODE)
        with trace.record(other, queue) as aside:
            act(other)
        recorded.steps += aside.steps
        done.extend(Done(_name(step), step, "another") for step in aside.steps)

    def executing(*words: Any, **options: Any) -> Any:
        before_a_step()
        try:
            return execute(*words, **options)
        finally:
            done.append(Done(_name(recorded.steps[-1]), recorded.steps[-1]))

    def minting(namespace: str = "JOB") -> str:
        before_a_step()
        done.append(Done("mint", None))
        return mint(namespace)

    def minting_many(count: int) -> list[str]:
        before_a_step()
        done.append(Done("mint", None))
        return mint_many(count)

    conn.client.execute_command = executing  # type: ignore[method-assign]
    conn.mint, conn.mint_many = minting, minting_many  # type: ignore[method-assign]
    try:
        yield done, before_a_step
    finally:
        conn.client.execute_command = execute  # type: ignore[method-assign]
        del conn.mint, conn.mint_many


def _name(step: trace.Step) -> str:
    return step.script or _NAMES.get(step.command[0], step.command[0])
