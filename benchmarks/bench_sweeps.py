"""What the scheduler does in a second, beside the plain loop and three other schedulers, on one Valkey in one run.

    python -m benchmarks sweeps

An occurrence is a due registration that becomes a queued job and whose next run is written. Everybody speaks to one
embedded Valkey through its Unix socket, on which a round trip costs least, to the plain loop's gain. In each of
`ROUNDS` rounds all of them go one after the other, forwards and backwards in turns; a ratio is the median over the
rounds of the two figures of the same round, so a slow moment of the machine falls on both. A round before warms up and
is not counted. Server time is the processor time of the whole server process (INFO cpu), by occurrence; what the server
alone could do is a second of it.

What is timed:

- `sweep_atomic`: sweeps until the backlog is released. plain loop (`plain.py`), `sweep`: until 2,000 of it are, or all.
  All three have redis-py's usual client, with its pool. On one that keeps a single connection the loop is shown beside.
- BullMQ, worker: a `Worker` with 100 jobs at a time and a processor that does nothing, from its start to the last
  completed job. BullMQ writes the next run when a worker takes the job, so the job is taken and finished as well,
  which the others leave to a worker that is not timed.
- BullMQ, fetched: `Worker.getNextJob`, 100 under way. The job is taken and its next run is written, but nothing is
  processed or finished: the least that BullMQ can do for an occurrence.
- rq-scheduler: `enqueue_jobs`, what its loop calls. The same thing, but that job and registration are one row.
- APScheduler 3, RedisJobStore: `_process_jobs`, what its thread calls, with an executor that takes a job and does
  nothing. No job is written anywhere, which the others do.
- A registration: one `register`, `schedule` or `add_job` after the other, and `upsertJobScheduler` with 100 under way.
- An idle tick: nothing is due. `sweep`, `sweep_atomic`, `_process_jobs`; of rq-scheduler one turn of its loop, lock and
  heartbeats included; of BullMQ, which has no tick and waits in a blocking command, the `getNextJob` that it sends when
  that ends. Commands are what the clients send (MONITOR), not what scripts call.

A peer has 10,000 registrations, of which it releases 500 to 2,000 that are due (`PEERS`). Its process stays up over all
rounds, so what it loads and compiles is warm; those in Python have a client that keeps a single connection, their best
case. `sweep_atomic` is held against them at batch 100. On fakeredis only the lab's own is shown, without a bar: there
the store is Python and decides all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import count, product, takewhile
from operator import truediv
from statistics import median
from time import perf_counter
from urllib.parse import unquote

import fakeredis
from redis import Redis

from benchmarks import peers
from benchmarks.backlog import EVERY_MS, TEMPLATE, Backlog
from benchmarks.plain import Plain
from benchmarks.table import Limit, Measured, Row
from echomq_lab import pump, repeat
from echomq_lab.store import FAKEREDIS, VALKEY, Connection, connect

ROUNDS = 7
IDLE_SWEEPS, IDLE_TICKS = 200, 50
#: Of a larger backlog, what those release that take a round trip or more for each.
SLOW = 2_000
REGISTERED, NEW = 10_000, 500
#: Registrations on fakeredis.
FEW = 300

#: Queues by how many registrations they have, and how many of those can be due.
DUE = {100: 100, 1_000: 1_000, 10_000: 10_000, 1_000_000: 1_000}
BACKLOGS = (10_000, 1_000_000)
BATCHES = (100, 1_000)
OURS = ("plain loop", "sweep", "sweep_atomic")
#: What the peers are asked for an occurrence: the program, the verb, how many of them.
PEERS = {
    "BullMQ, worker": ("BullMQ", "run", 2_000),
    "BullMQ, fetched": ("BullMQ", "fetch", 2_000),
    "rq-scheduler": ("rq-scheduler", "run", 500),
    "APScheduler": ("APScheduler", "run", 1_000),
}
STARTS = {"BullMQ": peers.bullmq, "rq-scheduler": peers.rq_scheduler, "APScheduler": peers.apscheduler}

_LIMITS = {"plain loop": None, "sweep": Limit("at least", 1), "sweep_atomic": Limit("at least", 20)}
_FLAT = Limit("at most", 1.3)


def _backlog(size: int) -> str:
    return f"{DUE[size]:,} due of {size:,}"


def _against(name: str) -> str:
    return name if name == "plain loop" else f"{name} to the plain loop"


RATES = {
    (name, size, batch): Row(f"{_against(name)}, batch {batch:,}, {_backlog(size)}", "occurrences/s", _LIMITS[name])
    for size, batch, name in product(BACKLOGS, BATCHES, OURS)
}
#: The loop on a client that keeps one connection, which spares it the pool that the lab's client has too.
ONE_LINE = {
    name: Row(f"{name} to the plain loop with single_connection_client, batch 100", "occurrences/s of the loop")
    for name in OURS[1:]
}
FAKE_RATES = {
    name: Row(f"{_against(name)}, batch 100, {FEW} due of {FEW} on fakeredis", "occurrences/s") for name in OURS
}
PEER_RATES = {name: Row(f"sweep_atomic to {name}", "occurrences/s of the peer", Limit("at least", 5)) for name in PEERS}
SERVER = {
    name: Row(f"server time of an occurrence, {name}" + ("" if name == "sweep_atomic" else " to sweep_atomic"), "µs")
    for name in (*OURS, *PEERS)
}
CEILINGS = {
    batch: Row(f"sweep_atomic to what the server alone could do, batch {batch:,}", "occurrences/s") for batch in BATCHES
}
LARGE = {name: Row(f"{name}, 1,000 due of 1,000,000 to 1,000 of 1,000", "µs", _FLAT) for name in OURS[1:]}
IDLE = {
    (name, size): Row(
        f"idle {name}, {size:,} registrations" + ("" if size == 100 else " to 100"),
        "µs",
        None if size == 100 else _FLAT,
    )
    for name, size in product(OURS[1:], (100, 10_000, 1_000_000))
}
REGISTRATIONS = {name: Row(f"register to {name}", "registrations/s of the peer") for name in STARTS}
OWN_REGISTRATIONS = Row("register", "registrations/s")
TICKS = {
    (name, size): Row(f"idle tick of {name} to sweep_atomic, {size:,} registrations", "µs")
    for size, name in product((100, REGISTERED), STARTS)
}
COMMANDS = {name: Row(f"idle tick of {name}", "commands") for name in (*OURS[1:], *STARTS)}
ROWS = (
    *RATES.values(),
    *ONE_LINE.values(),
    *PEER_RATES.values(),
    *SERVER.values(),
    *CEILINGS.values(),
    *LARGE.values(),
    *IDLE.values(),
    OWN_REGISTRATIONS,
    *REGISTRATIONS.values(),
    *TICKS.values(),
    *COMMANDS.values(),
    *FAKE_RATES.values(),
)
#: The rows of the picture, by the name that they have in it.
PICTURED = {
    "sweep_atomic": RATES["sweep_atomic", 10_000, 100],
    "sweep": RATES["sweep", 10_000, 100],
    "plain loop": RATES["plain loop", 10_000, 100],
} | {name: PEER_RATES[name] for name in PEERS}


@dataclass(frozen=True, slots=True)
class Runner:
    """Somebody who does `count` of something: `run` answers the seconds, `ready` comes before and is not timed."""

    name: Hashable
    count: int
    run: Callable[[], float]
    ready: Callable[[], object] = lambda: None


@dataclass(slots=True)
class Found:
    """What the rounds found of one runner: microseconds of one thing, on the clock and of the server's processor."""

    each_us: list[float] = field(default_factory=list)
    server_us: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Things a second."""
        return 1e6 / median(self.each_us)

    def to(self, other: Found) -> float:
        """The median of the paired ratios: how many times the other's time, or 1 / so many times its rate."""
        return median(mine / theirs for mine, theirs in zip(self.each_us, other.each_us, strict=True))


def rounds(runners: list[Runner], server_s: Callable[[], float] = lambda: 0.0) -> dict[Hashable, Found]:
    """All of them in each round, forwards and backwards in turns, after a round to warm up; print what was found."""
    found = {runner.name: Found() for runner in runners}
    for number in range(ROUNDS + 1):
        for runner in runners if number % 2 else reversed(runners):
            runner.ready()
            before_s = server_s()
            took_s = runner.run()
            spent_s = server_s() - before_s
            if number:
                found[runner.name].each_us.append(took_s / runner.count * 1e6)
                found[runner.name].server_us.append(spent_s / runner.count * 1e6)
    for name, each in found.items():
        told = ", ".join(map(str, name)) if isinstance(name, tuple) else name
        print(f"{told:<34}{each.rate:>10,.0f} /s{median(each.each_us):>10,.1f} us", end="", flush=True)
        print(f"{median(each.server_us):>10,.1f} us of the server" if any(each.server_us) else "", flush=True)
    return found


class Bench:
    """The embedded Valkey with the lab's connection, the plain loop's, one to look on, and the queues of `DUE`."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.socket = unquote(conn.url.removeprefix("unix://"))
        self.plain = Redis(unix_socket_path=self.socket)
        self.watch = Redis(unix_socket_path=self.socket, single_connection_client=True)
        self.watch.config_set("save", "")  # a snapshot in between would be somebody's slow moment
        self.backlogs = {size: Backlog(self.watch, f"of-{size}", size, due).fill() for size, due in DUE.items()}

    def sweeps(self, name: str, batch: int, size: int) -> Runner:
        """One of `OURS` on a backlog, of which only the atomic one releases more than a part."""
        backlog = self.backlogs[size]
        most = backlog.due if name == "sweep_atomic" else SLOW
        return sweeps((name, batch, size), sweep_of(name, batch, self.conn, self.plain, backlog.queue), backlog, most)

    def idles(self, name: str, size: int, count: int) -> Runner:
        """So many sweeps of a queue with nothing due."""
        sweep = sweep_of(name, 100, self.conn, self.plain, self.backlogs[size].queue)
        return Runner((name, size), count, timed(count, sweep), self.backlogs[size].rest)

    def rounds(self, runners: list[Runner]) -> dict[Hashable, Found]:
        """`rounds` on this server."""
        return rounds(runners, self.server_s)

    def server_s(self) -> float:
        """The processor time of the server's process so far."""
        cpu = self.watch.info("cpu")
        return float(cpu["used_cpu_user"] + cpu["used_cpu_sys"])

    def commands(self, runner: Runner) -> float:
        """How many commands the clients send for one of what a runner does."""
        with Redis(unix_socket_path=self.socket).monitor() as monitor:
            runner.run()
            self.watch.echo("the end")
            told = list(takewhile(lambda each: each["command"] != "ECHO the end", monitor.listen()))
        return sum(each["client_type"] != "lua" for each in told) / runner.count


def sweep_of(name: str, batch: int, conn: Connection, plain: Redis, queue: str) -> Callable[[], int]:
    """What sweeps a queue once, by its name in `OURS`, and answers how many it released."""
    if name == "plain loop":
        loop = Plain(plain, queue)
        return lambda: loop.sweep(batch)
    verb = {"sweep": pump.sweep, "sweep_atomic": pump.sweep_atomic}[name]
    return lambda: verb(conn, queue, batch).fired


def sweeps(name: Hashable, sweep: Callable[[], int], backlog: Backlog, most: int = SLOW) -> Runner:
    """Sweeps until the backlog, or as much of it as is given, is released."""
    count = min(backlog.due, most)

    def run() -> float:
        began, fired = perf_counter(), 0
        while fired < count:
            fired += sweep()
        took_s = perf_counter() - began
        assert backlog.released() == fired == count, (name, fired)
        return took_s

    return Runner(name, count, run, backlog.fall_due)


def timed(count: int, call: Callable[[], object]) -> Callable[[], float]:
    """What calls so many times and answers the seconds."""

    def run() -> float:
        began = perf_counter()
        for _ in range(count):
            call()
        return perf_counter() - began

    return run


def asked(name: Hashable, peer: peers.Peer, verb: str, count: int) -> Runner:
    """A peer that is asked for so many of something, once so many are due."""
    return Runner(name, count, lambda: peer.ask(verb, count), lambda: peer.ask("due", count))


def registering(conn: Connection, started: dict[str, peers.Peer]) -> list[Runner]:
    """Fresh registrations, which are not due for a day: the lab's, and each peer's after the 100 that it has."""
    fresh = {name: count(100) for name in ("register", *started)}

    def register() -> None:
        repeat.register(conn, "registrations", f"r{next(fresh['register']):07}", EVERY_MS, TEMPLATE, EVERY_MS)

    def ask(name: str) -> float:
        first = next(fresh[name])
        fresh[name] = count(first + NEW)
        return started[name].ask("register", first, NEW)

    others = [Runner(name, NEW, partial(ask, name)) for name in started]
    return [Runner("register", NEW, timed(NEW, register)), *others]


def run() -> list[Measured]:
    """Fill, measure, print; answer the rows."""
    measured: list[Measured] = []
    missing: dict[str, str] = {}
    started: dict[str, peers.Peer] = {}
    with ExitStack() as stack:
        bench = Bench(stack.enter_context(connect(VALKEY)))
        for name, start in STARTS.items():
            try:
                started[name] = stack.enter_context(start(bench.socket))
            except peers.NoPeerError as error:
                missing[name] = str(error)
        measured += _idle(bench)
        measured += _peers_idle(bench, started)
        measured += _rates(bench, started)
        measured += _large(bench)
    measured += _on_fakeredis()
    by_row = {each.row: each for each in measured}
    why = {row: told for row in ROWS for name, told in missing.items() if name in row.name}
    return [by_row[row] if row in by_row else row.missing(why[row]) for row in ROWS]


def _idle(bench: Bench) -> Iterator[Measured]:
    print(f"idle sweeps: {ROUNDS} rounds of {IDLE_SWEEPS}")
    found = bench.rounds([bench.idles(name, size, IDLE_SWEEPS) for name, size in IDLE])
    for (name, size), row in IDLE.items():
        few = found[name, 100]
        yield row.measured(median(found[name, size].each_us), None if size == 100 else found[name, size].to(few))
    for name in OURS[1:]:
        yield COMMANDS[name].measured(bench.commands(bench.idles(name, 100, IDLE_TICKS)))


def _peers_idle(bench: Bench, started: dict[str, peers.Peer]) -> Iterator[Measured]:
    """Idle ticks at 100 and at 10,000 registrations, and in between the registrations themselves."""
    for peer in started.values():
        peer.ask("register", 0, 100)
    yield from _ticks(bench, started, 100)
    print(f"registrations: {ROUNDS} rounds of {NEW}")
    found = bench.rounds(registering(bench.conn, started))
    yield OWN_REGISTRATIONS.measured(found["register"].rate)
    for name, peer in started.items():
        yield REGISTRATIONS[name].measured(found[name].rate, found[name].to(found["register"]))
        there = 100 + (ROUNDS + 1) * NEW
        peer.ask("register", there, REGISTERED - there)
    yield from _ticks(bench, started, REGISTERED)
    for name, peer in started.items():
        yield COMMANDS[name].measured(bench.commands(asked(name, peer, "tick", IDLE_TICKS)))


def _ticks(bench: Bench, started: dict[str, peers.Peer], size: int) -> Iterator[Measured]:
    print(f"idle ticks at {size:,} registrations: {ROUNDS} rounds of {IDLE_TICKS}")
    ours = bench.idles("sweep_atomic", size, IDLE_TICKS)
    ticks = [Runner(name, IDLE_TICKS, partial(peer.ask, "tick", IDLE_TICKS)) for name, peer in started.items()]
    found = bench.rounds([ours, *ticks])
    for name in started:
        yield TICKS[name, size].measured(median(found[name].each_us), found[name].to(found[ours.name]))


def _rates(bench: Bench, started: dict[str, peers.Peer]) -> Iterator[Measured]:
    size = BACKLOGS[0]
    print(f"occurrences, {_backlog(size)}: {ROUNDS} rounds")
    theirs = [
        asked(name, started[program], verb, count)
        for name, (program, verb, count) in PEERS.items()
        if program in started
    ]
    backlog = bench.backlogs[size]
    one_line = Plain(Redis(unix_socket_path=bench.socket, single_connection_client=True), backlog.queue)
    theirs.append(sweeps("plain loop, one line", lambda: one_line.sweep(100), backlog))
    found = bench.rounds([bench.sweeps(name, batch, size) for name, batch in product(OURS, BATCHES)] + theirs)
    yield from _against_plain(found, size)
    single = found["plain loop, one line"]
    for name, row in ONE_LINE.items():
        yield row.measured(single.rate, single.to(found[name, 100, size]))
    atomic = found["sweep_atomic", 100, size]
    for name in PEERS.keys() & found.keys():
        yield PEER_RATES[name].measured(found[name].rate, found[name].to(atomic))
    for name, row in SERVER.items():
        each = found.get((name, 100, size)) or found.get(name)
        if each is not None:
            ratio = None if each is atomic else median(map(truediv, each.server_us, atomic.server_us))
            yield row.measured(median(each.server_us), ratio)
    for batch, row in CEILINGS.items():
        each = found["sweep_atomic", batch, size]
        yield row.measured(1e6 / median(each.server_us), median(map(truediv, each.server_us, each.each_us)))


def _large(bench: Bench) -> Iterator[Measured]:
    size = BACKLOGS[1]
    print(f"occurrences, {_backlog(size)}, and of 1,000: {ROUNDS} rounds")
    small = [bench.sweeps(name, 100, 1_000) for name in LARGE]
    found = bench.rounds([bench.sweeps(name, batch, size) for name, batch in product(OURS, BATCHES)] + small)
    yield from _against_plain(found, size)
    for name, row in LARGE.items():
        each = found[name, 100, size]
        yield row.measured(median(each.each_us), each.to(found[name, 100, 1_000]))


def _against_plain(found: dict[Hashable, Found], size: int) -> Iterator[Measured]:
    for batch, name in product(BATCHES, OURS):
        each, plain = found[name, batch, size], found["plain loop", batch, size]
        yield RATES[name, size, batch].measured(each.rate, None if each is plain else plain.to(each))


def _on_fakeredis() -> Iterator[Measured]:
    print(f"on fakeredis, {FEW} due of {FEW}: {ROUNDS} rounds")
    with connect(FAKEREDIS) as conn:
        # The plain loop has a store of its own, whose client answers bytes as its others do.
        stores = dict.fromkeys(OURS, conn.client) | {"plain loop": fakeredis.FakeRedis(server_type="valkey")}
        runners = []
        for name, store in stores.items():
            backlog = Backlog(store, f"{name}-few", FEW, FEW).fill()
            runners.append(sweeps(name, sweep_of(name, 100, conn, store, backlog.queue), backlog))
        found = rounds(runners)
    for name, row in FAKE_RATES.items():
        yield row.measured(found[name].rate, None if name == "plain loop" else found["plain loop"].to(found[name]))
