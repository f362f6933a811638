"""An hour on the lab clock, swept every second: registrations fire as often as the plain count says, nothing grows.

Jobs are claimed and completed as they come, so that at the end the store holds what it held at the start.
"""

from __future__ import annotations

import gc
import sys
from array import array
from collections.abc import Callable

import pytest

from echomq_lab import jobs, pump, repeat
from echomq_lab.clock import FixedClock
from echomq_lab.keyspace import queue_key, record_key, registry_key
from echomq_lab.store import FAKEREDIS, Connection
from tests.long_counts import HOUR_S, HOURLY, HOURLY_FEWER, tenth

Q = "hour"
TICK_MS = 1_000
#: The first jobs load scripts and fill caches: the process is measured from here on.
WARM_S = 60
#: One in a hundred has one of these: seconds, primes, milliseconds that no tick meets.
FAST_MS = [1_000, 1_009, 2_000, 4_999, 5_000, 7_000, 10_007, 13_000, 17_000, 30_000, 31_000, 59_999]
MINUTE_MS = 60_000
#: Blocks that the process may hold more at the end than after the first minute: interned words and the buffers of the
#: connection. One object kept of each job would be one block a job, of each sweep one a second. A fakeredis lives in
#: the process too, and there each score that has moved is an object of its own: one a registration.
PROCESS_MORE = 250
#: What the store may: hash tables that grew for the jobs of the fullest tick shrink in their own time. A job's row left
#: behind has about 150 bytes, so a whole hour's would be many times as much.
STORE_MORE = 1_048_576


def period_ms(number: int) -> int:
    """Of 100 registrations one is fast; the others come every 1 to 60 minutes, a third of them off the minute."""
    if number % 100 == 0:
        return FAST_MS[number // 100 % len(FAST_MS)]
    return (1 + number % 60) * MINUTE_MS + (number % 3 == 0) * 7_919


def first_in_ms(number: int) -> int:
    """The first runs spread over five minutes."""
    return number * 7_907 % 300_000


def expected(number: int, seconds: int) -> int:
    """How often it fires at ticks of a second, start to start: the first tick at or after each next run."""
    fired, next_ms = 0, first_in_ms(number)
    while (tick := -(-next_ms // TICK_MS)) <= seconds:
        fired += 1
        next_ms = tick * TICK_MS + period_ms(number)
    return fired


def register_all(conn: Connection, count: int) -> None:
    """As `register` writes them; the template is the number."""
    now_ms = conn.now_ms()
    with conn.client.pipeline(transaction=False) as pipe:
        for number in range(count):
            name = f"n{number:05}"
            record = {"every_ms": str(period_ms(number)), "template": str(number)}
            pipe.hset(record_key(Q, name), mapping=record)
            pipe.zadd(registry_key(Q), {name: now_ms + first_in_ms(number)})
        pipe.execute()


def work_off(conn: Connection, fired: array[int]) -> int:
    """Claim and complete what is pending; answer how many."""
    done = 0
    while job := jobs.claim(conn, Q, 60_000):
        assert job.payload is not None
        fired[int(job.payload)] += 1
        assert jobs.complete(conn, Q, job.id, job.attempts) is jobs.Completed.OK
        done += 1
    return done


def process_memory() -> int:
    """Blocks that living Python objects take, counted by the interpreter itself."""
    gc.collect()
    return sys.getallocatedblocks()


def store_memory(conn: Connection) -> int:
    """Bytes in use; fakeredis has none of its own, it lives in the process."""
    return int(conn.client.info("memory")["used_memory"]) if conn.url != FAKEREDIS else 0


@pytest.mark.parametrize(
    ("store_url", "sweep", "count", "seconds"),
    [
        ("valkey", pump.sweep_atomic, tenth(HOURLY), tenth(HOUR_S)),
        ("valkey", pump.sweep, tenth(HOURLY), tenth(HOUR_S)),
        ("fakeredis", pump.sweep_atomic, tenth(HOURLY_FEWER), tenth(HOUR_S)),
        ("fakeredis", pump.sweep, tenth(HOURLY_FEWER), tenth(HOUR_S)),
        pytest.param("valkey", pump.sweep_atomic, HOURLY, HOUR_S, marks=pytest.mark.soak),
        pytest.param("valkey", pump.sweep, HOURLY, HOUR_S, marks=pytest.mark.soak),
        pytest.param("fakeredis", pump.sweep_atomic, HOURLY_FEWER, HOUR_S, marks=pytest.mark.soak),
        pytest.param("fakeredis", pump.sweep, HOURLY_FEWER, HOUR_S, marks=pytest.mark.soak),
    ],
    indirect=["store_url"],
)
def test_every_registration_fires_as_often_as_the_plain_count_says(
    conn: Connection, sweep: Callable[[Connection, str, int], pump.Sweep], count: int, seconds: int
) -> None:
    assert isinstance(conn.clock, FixedClock)
    fired = array("I", [0] * count)
    done = 0
    register_all(conn, count)
    store_at_start = store_memory(conn)
    for second in range(seconds + 1):
        answer = sweep(conn, Q, count)
        worked_off = work_off(conn, fired)
        assert (answer.promoted, answer.fired, answer.swept, answer.broken) == (0, worked_off, 0, [])
        done += worked_off
        if second == WARM_S:
            process_at_start = process_memory()
        conn.clock.advance(TICK_MS)
    process_grew = process_memory() - process_at_start
    assert list(fired) == [expected(number, seconds) for number in range(count)]
    assert (repeat.count(conn, Q), jobs.pending_size(conn, Q)) == (count, 0)
    assert conn.send("DBSIZE") == 2 + count  # registry, metrics, a record each
    assert conn.send("HGET", queue_key(Q, "metrics:completed"), "count") == str(done)
    assert process_grew < PROCESS_MORE + (count if conn.url == FAKEREDIS else 0)
    assert store_memory(conn) - store_at_start < STORE_MORE
