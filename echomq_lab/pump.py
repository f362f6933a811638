"""The pump: what turns due registrations into jobs and moves each entry to its next run.

One sweep promotes what is due of the one-shot jobs, reads what is due of the registry, and then, one
occurrence at a time: mints a JOB id, enqueues the template under it, advances the entry. The enqueue comes first, so a
crash between the two makes the occurrence run twice, never zero times.

The atomic sweep does the same for all of a batch in one script, so there is no between.

Source: seed 000, "Producing the next run"; wire contract, "The pump" and "Two sweeps".
"""

from __future__ import annotations

import logging
import re
import threading
from dataclasses import asdict, dataclass, field
from typing import Any

from redis.backoff import EqualJitterBackoff

from echomq_lab import arguments, jobs, repeat, scripts
from echomq_lab.clock import SystemClock
from echomq_lab.errors import LabError, ReplyError, StoreError
from echomq_lab.keyspace import queue_key, queue_name, registry_key
from echomq_lab.store import Connection, takes_connection

_log = logging.getLogger(__name__)
#: How long to wait after a lost line, in seconds: from 0.1 on, doubled each time, at random so that pumps spread.
_BACKOFF = EqualJitterBackoff(cap=5.0, base=0.1)
_WHOLE = re.compile(r"\+?[0-9]{1,32}")


@dataclass(frozen=True, slots=True)
class Sweep:
    """What one sweep did: jobs promoted, occurrences fired, entries without a record swept away.

    `broken` names the due registrations whose record cannot be used; nothing was enqueued for them, and they stay due.
    So they take their place in every batch: as many of them as a batch holds keep all later ones waiting.
    """

    promoted: int
    fired: int
    swept: int
    broken: list[str] = field(default_factory=list)


@takes_connection
def sweep(conn: Connection, queue: str, batch: int = 100) -> Sweep:
    """Run one sweep of at most `batch` one-shot jobs and `batch` registrations.

    Each due registration fires once however late it is, and its next run is this release plus its period. A server
    error on one occurrence is logged and skipped: its entry is still due at the next sweep. A registration that is
    cancelled after it was read still runs once more.
    Raises `ArgumentError` before anything is sent, `ReplyError` when the registry is no sorted set, `StoreError` when
    the line is lost.
    """
    batch = arguments.how_many("batch", batch)
    promoted = _promote(conn, queue, batch)
    fired = swept = 0
    broken = []
    names = repeat.due_names(conn, queue, batch)
    if not names:
        return Sweep(promoted, 0, 0)
    records = repeat.records(conn, queue, names)
    with conn.on_one_line() as line:
        for name, record in zip(names, records, strict=True):
            if isinstance(record, LabError) or not name:
                broken.append(name)
            elif record.every_ms is None or record.template is None:
                repeat.cancel(line, queue, name)
                swept += 1
            elif (every_ms := period_ms(record.every_ms)) is None:
                broken.append(name)
            else:
                fired += _release(line, queue, name, every_ms, record.template)
    return Sweep(promoted, fired, swept, broken)


@takes_connection
def sweep_atomic(conn: Connection, queue: str, batch: int = 100) -> Sweep:
    """Run one sweep whose registrations are read, enqueued and advanced by a single script.

    The answers are those of `sweep`, and so is what it leaves behind, but a crash finds either all of it done or
    nothing, and two pumps never release the same occurrence. Raises what `sweep` raises, and `ReplyError` when pending
    is no sorted set; after a `StoreError` the sweep may have been done.
    """
    batch = arguments.how_many("batch", batch)
    keys = [registry_key(queue), queue_key(queue, "pending")]
    now_ms = conn.now_ms()
    promoted, due = scripts.run_and_read(
        conn, "promote", *jobs.promotion(conn, queue, batch), ["ZCOUNT", keys[0], "-inf", now_ms]
    )
    if isinstance(promoted, LabError):
        tell(logging.WARNING, "not_promoted", queue, error=str(promoted))
        promoted = 0
    if isinstance(due, LabError):
        raise due
    if due == 0:
        return Sweep(promoted, 0, 0)
    # Ids for what is due and no more: minting for a whole batch limit would cost more than the sweep.
    ids = "".join(conn.mint_many(min(batch, due)))
    fired, swept, broken = scripts.run(conn, "sweep", keys, [queue_key(queue, ""), now_ms, ids])
    return Sweep(promoted, fired, swept, broken)


class Pump:
    """Sweeps one queue tick after tick: in a thread between `start` and `stop`, or by hand with `step`.

    `tick_ms` is the pause after a sweep, so the beat is the tick plus the sweep's own time; the first sweep comes one
    tick after the start. `batch` bounds a sweep as `sweep` does; `atomic` takes `sweep_atomic`.
    `total` adds up what was done, `next_tick_ms` is when the next sweep comes, `lost` why the line is lost, or None.
    Stop it before its connection is closed: to a pump a closed connection is one that is lost for a while.
    Raises `ArgumentError` for anything else.
    """

    def __init__(
        self, conn: Connection, queue: str, tick_ms: int = 1000, batch: int = 100, atomic: bool = False
    ) -> None:
        arguments.instance("conn", conn, Connection, "a connection", "make one with conn = connect()")
        self.conn = conn
        self.queue = queue_name(queue)
        self.tick_ms = arguments.period_ms("tick_ms", tick_ms)
        self.batch = arguments.how_many("batch", batch)
        arguments.instance("atomic", atomic, bool, "True or False", "True takes the sweep of one script")
        self._sweep = sweep_atomic if atomic else sweep
        self.total = Sweep(0, 0, 0)
        self.lost: StoreError | None = None
        self.next_tick_ms = conn.now_ms() + tick_ms
        self._ending = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def step(self) -> Sweep:
        """Sweep once, now, and arm the next tick. A lab clock stands still: set it to `next_tick_ms` before.

        Raises what the sweep raises; the next tick is armed all the same.
        """
        try:
            done = self._sweep(self.conn, self.queue, self.batch)
        finally:
            self._arm(self.tick_ms)
        self.total = Sweep(
            self.total.promoted + done.promoted,
            self.total.fired + done.fired,
            self.total.swept + done.swept,
            done.broken,
        )
        return done

    @property
    def running(self) -> bool:
        """Whether the thread sweeps."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Sweep in a thread from one tick on. Raises `LabError` when it does already, and on a lab clock."""
        if not isinstance(self.conn.clock, SystemClock):
            raise LabError("a thread cannot wait for a clock that stands still; move the clock and call step()")
        with self._starting:
            if self.running:
                raise LabError("this pump runs already; stop() it first")
            self._ending.clear()
            self._arm(self.tick_ms)
            self._thread = threading.Thread(target=self._run, name=f"pump of {self.queue}", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Finish the sweep in hand and end the thread; again is harmless. In the pump's own thread: once it returns."""
        self._ending.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def __enter__(self) -> Pump:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _arm(self, wait_ms: int) -> None:
        self.next_tick_ms = self.conn.now_ms() + wait_ms

    def _run(self) -> None:
        """Sweep until told to end. When the line is lost, try again ever more seldom, up to every five seconds."""
        tick_s = min(self.tick_ms / 1000, threading.TIMEOUT_MAX)
        failures, wait_s, told = 0, tick_s, ""
        while not self._ending.wait(wait_s):
            began_ms, broken = self.conn.now_ms(), self.total.broken
            try:
                done = self.step()
            except StoreError as error:
                failures += 1
                self.lost = error
                wait_s = _BACKOFF.compute(failures)
                self._arm(round(wait_s * 1000))
                tell(logging.WARNING, "lost", self.queue, error=str(error), retry_in_ms=round(wait_s * 1000))
                continue
            except LabError as error:
                done = Sweep(0, 0, 0, broken)
                if str(error) != told:  # not at every tick
                    tell(logging.ERROR, "error", self.queue, error=str(error))
                told = str(error)
            else:
                told = ""
            if failures:
                tell(logging.INFO, "back", self.queue, after=failures)
            failures, self.lost, wait_s = 0, None, tick_s
            if done != Sweep(0, 0, 0, broken):
                tell(logging.INFO, "sweep", self.queue, **asdict(done), took_ms=self.conn.now_ms() - began_ms)
        self.lost = None


def period_ms(every_ms: str) -> int | None:
    """A record's period as a number; None where EchoMQ would fail on it after the enqueue, again at every tick."""
    found = int(every_ms) if _WHOLE.fullmatch(every_ms) else 0
    return found if 1 <= found <= arguments.MAX_EXACT else None


def _promote(conn: Connection, queue: str, batch: int) -> int:
    try:
        return jobs.promote(conn, queue, batch)
    except ReplyError as error:
        tell(logging.WARNING, "not_promoted", queue, error=str(error))
        return 0


def tell(level: int, event: str, queue: str, **figures: Any) -> None:
    """Log an event of a pump with its figures: in words, and as `event` and `figures` for a log that machines read."""
    told = ", ".join(str(value) if name == "error" else f"{name} {value}" for name, value in figures.items())
    _log.log(
        level, "queue %s: %s: %s", queue, event, told, extra={"event": event, "figures": {"queue": queue, **figures}}
    )


def _release(conn: Connection, queue: str, name: str, every_ms: int, template: str) -> bool:
    try:
        jobs.enqueue(conn, queue, conn.mint(), template)
        repeat.advance(conn, queue, name, every_ms)
    except ReplyError as error:
        tell(logging.WARNING, "not_fired", queue, name=name, error=str(error))
        return False
    return True
