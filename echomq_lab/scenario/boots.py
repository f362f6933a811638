"""Dive 2 as a run: what is in the registry after a service has booted again and again.

    run = boots(conn, queue, [Schedule("daily-report", 900_000)], 3)
    run.answers     what each boot was told
    run.trace       what the store executed

A boot adds every schedule of its service, in one of four ways. All but the first write with commands of their own:

    guarded    repeat.register: one script that probes the record first
    naive      HSET and ZADD under name#boot: each boot another member
    again      HSET and ZADD under the same name: the same member anew
    ask-first  EXISTS by the client, then HSET and ZADD: the guard outside a script

Source: seed 000, "The upsert"; widgets, 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from threading import Barrier
from typing import TypeAlias, TypeVar

from echomq_lab import arguments, pump, repeat, trace
from echomq_lab.errors import ArgumentError, LabError
from echomq_lab.keyspace import queue_key, record_key, registry_key
from echomq_lab.scenario.cadence import fixed_clock
from echomq_lab.store import Connection
from echomq_lab.wording import clock_time

#: More boots than that in one run teach nothing more.
MOST_BOOTS = 200

_Choice = TypeVar("_Choice", bound=StrEnum)
#: A boot that is under way: it sends one command at each `next` and answers what it was told, by schedule.
_Boot: TypeAlias = Generator[None, None, list[str]]


class Way(StrEnum):
    """How a boot adds a schedule: the four ways of the module's docstring."""

    GUARDED = "guarded"
    NAIVE = "naive"
    AGAIN = "again"
    ASK_FIRST = "ask-first"


class Order(StrEnum):
    """How the boots of a run meet: one after the other, all at once in threads, or all at once in turns.

    In turns each boot sends one command, then the next boot one, so that a run repeats exactly and needs no thread.
    """

    SEQUENCE = "sequence"
    THREADS = "threads"
    TURNS = "turns"


@dataclass(frozen=True, slots=True)
class Schedule:
    """A recurring job as a service asks for it: the arguments and errors of `repeat.register`, times in ms."""

    name: str
    every_ms: int
    template: str = "{}"
    first_in_ms: int = 0

    def __post_init__(self) -> None:
        arguments.name("name", self.name)
        arguments.period_ms("every_ms", self.every_ms)
        arguments.content("template", self.template)
        arguments.delay_ms("first_in_ms", self.first_in_ms)


@dataclass(frozen=True, slots=True)
class BootRun:
    """What one call did to the schedules of a queue: boots, a cancel, or the sweeps of a period.

    `what` names it in words, `at_ms` is when it began, `boots` how many booted. `answers` are what was told, a word
    each: by boot and schedule, by name cancelled, or one "fired" for each job. `before` and `after` are what the
    registry and the records held, by key, and `trace` is what the store executed between.
    """

    what: str
    at_ms: int
    boots: int
    answers: tuple[str, ...]
    before: dict[str, trace.Held]
    after: dict[str, trace.Held]
    trace: trace.Trace

    @property
    def counts(self) -> dict[str, int]:
        """How often each answer came, by answer."""
        return dict(sorted(Counter(self.answers).items()))

    def called(self, verb: str) -> int:
        """How often the store executed a command, called by a script or sent by itself."""
        steps = self.trace.steps
        return sum(call[0] == verb for step in steps for call in (step.calls or (step.command,)))

    def scores(self, *, before: bool = False) -> dict[str, int]:
        """The registry's entries, name and next-run ms, the earliest first: after the call, or before it."""
        held = (self.before if before else self.after).get(registry_key(self.trace.queue))
        return dict(held) if isinstance(held, list) else {}


def boots(
    conn: Connection,
    queue: str,
    schedules: Sequence[Schedule],
    times: int = 3,
    *,
    way: str = Way.GUARDED,
    order: str = Order.SEQUENCE,
    apart_ms: int = 60_000,
) -> BootRun:
    """Boot a service `times` times (1 to 200) in one of the ways of `Way`; answer what each boot was told.

    In sequence, the lab clock stands `apart_ms` further at each boot after the first. At once, in threads or in turns,
    all boot at the clock's now. Boots are numbered from 1 in each call.
    Raises an `ArgumentError` before anything is sent, also for a sequence in time without a `FixedClock`; a `LabError`
    where no thread can start.
    Source: seed 000, "The upsert" (one name, one record, one registry entry, across any number of boots).
    """
    return Boots(conn, queue, schedules, way).boot(times, order=order, apart_ms=apart_ms)


class Boots:
    """A service that is booted at will: the live form of `boots`. `trace` holds every command that went out."""

    def __init__(self, conn: Connection, queue: str, schedules: Sequence[Schedule], way: str = Way.GUARDED) -> None:
        self.conn, self.queue = conn, queue
        self.way = _choice("way", way, Way)
        self.schedules = schedules
        self.trace = trace.Trace(queue)
        self.booted = 0

    def boot(self, times: int = 1, *, order: str = Order.SEQUENCE, apart_ms: int = 60_000) -> BootRun:
        """Boot; the arguments and errors of `boots`. Boots are numbered on from those before."""
        times = arguments.whole("times", times, 1, MOST_BOOTS, "a whole number")
        order = _choice("order", order, Order)
        apart_ms = arguments.delay_ms("apart_ms", apart_ms)
        moves = order is Order.SEQUENCE and times > 1 and apart_ms > 0
        if moves:
            fixed_clock(self.conn)
        first = self.booted + 1
        under_way = [self._boot(number) for number in range(first, first + times)]

        def run() -> list[str]:
            if order is Order.THREADS:
                told = _in_threads(under_way)
            elif order is Order.TURNS:
                told = _in_turns(under_way)
            else:
                told = []
                for boot in under_way:
                    if told and moves:
                        self.wait(apart_ms)
                    told.append(_finish(boot))
            return [answer for each in told for answer in each]

        what = f"boot {first}" if times == 1 else f"boots {first} to {first + times - 1}"
        at_once = "" if order is Order.SEQUENCE or times == 1 else " at once"
        self.booted += times
        return self._recorded(what + at_once, times, run)

    def wait(self, for_ms: int) -> None:
        """Move the lab clock on; nothing runs by itself."""
        fixed_clock(self.conn).advance(for_ms)

    def cancel(self) -> BootRun:
        """Cancel each schedule by its name."""

        def run() -> list[str]:
            return [str(repeat.cancel(self.conn, self.queue, schedule.name)) for schedule in self.schedules]

        return self._recorded("cancel", 0, run)

    def sweep(self) -> BootRun:
        """Sweep at each instant when something is due, until every entry that stands there now has been released.

        The clock is left at the last release, and what the pump sent is no part of the trace: it is dive 3's.
        Raises an `ArgumentError` without a `FixedClock`.
        """
        clock = fixed_clock(self.conn)
        at_ms, before, until_ms = clock.now_ms(), self._held(), self._edge_ms("REV")
        fired = 0
        while (due_ms := self._edge_ms()) is not None and until_ms is not None and due_ms <= until_ms:
            clock.set(max(clock.now_ms(), due_ms))
            fired += pump.sweep(self.conn, self.queue, 1000).fired
        what = f"sweeps up to {clock_time(clock.now_ms())}"
        return BootRun(what, at_ms, 0, ("fired",) * fired, before, self._held(), trace.Trace(self.queue))

    def _edge_ms(self, *end: str) -> int | None:
        """The earliest next run in the registry, or with REV the latest."""
        entry = self.conn.send("ZRANGE", registry_key(self.queue), 0, 0, *end, "WITHSCORES")
        return int(entry[0][1]) if entry else None

    def _boot(self, number: int) -> _Boot:
        answers = []
        for schedule in self.schedules:
            answers.append((yield from self._add(schedule, number)))  # noqa: PERF401  a comprehension cannot yield
        return answers

    def _add(self, schedule: Schedule, number: int) -> Generator[None, None, str]:
        if self.way is Way.GUARDED:
            told = repeat.register(
                self.conn, self.queue, schedule.name, schedule.every_ms, schedule.template, schedule.first_in_ms
            )
            yield
            return str(told)
        name = f"{schedule.name}#{number}" if self.way is Way.NAIVE else schedule.name
        record = record_key(self.queue, name)
        if self.way is Way.ASK_FIRST:
            found = self.conn.send("EXISTS", record)
            yield
            if found:
                return "exists"
        first_ms = self.conn.now_ms() + schedule.first_in_ms
        self.conn.send("HSET", record, "every_ms", schedule.every_ms, "template", schedule.template)
        yield
        # ZADD answers how many members are new.
        added = self.conn.send("ZADD", registry_key(self.queue), first_ms, name)
        yield
        return "added" if added else "rewritten"

    def _recorded(self, what: str, boots: int, run: Callable[[], list[str]]) -> BootRun:
        at_ms, before = self.conn.now_ms(), self._held()
        with trace.record(self.conn, self.queue) as steps:
            answers = run()
        self.trace.steps += steps.steps
        return BootRun(what, at_ms, boots, tuple(answers), before, self._held(), steps)

    def _held(self) -> dict[str, trace.Held]:
        return trace.keys_of(self.conn.client, queue_key(self.queue, "repeat"))


def _choice(thing: str, value: str, among: type[_Choice]) -> _Choice:
    if value in list(among):
        return among(value)
    raise ArgumentError(thing, value, f"one of {', '.join(map(repr, map(str, among)))}")


def _finish(boot: _Boot) -> list[str]:
    while True:
        try:
            next(boot)
        except StopIteration as end:
            answers: list[str] = end.value
            return answers


def _in_turns(boots: Sequence[_Boot]) -> list[list[str]]:
    answers: dict[int, list[str]] = {}
    while len(answers) < len(boots):
        for number, boot in enumerate(boots):
            if number not in answers:
                try:
                    next(boot)
                except StopIteration as end:
                    answers[number] = end.value
    return [answers[number] for number in range(len(boots))]


def _in_threads(boots: Sequence[_Boot]) -> list[list[str]]:
    """A thread for each boot, all let go at once."""
    gate = Barrier(len(boots))

    def through(boot: _Boot) -> list[str]:
        gate.wait()
        return _finish(boot)

    with ThreadPoolExecutor(len(boots)) as pool:
        try:
            running = [pool.submit(through, boot) for boot in boots]
        except RuntimeError as error:
            gate.abort()
            raise LabError("no thread can start here; try order='turns', which needs none") from error
        return [each.result() for each in running]
