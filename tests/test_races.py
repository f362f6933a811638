"""Pumps that race for the same due registrations: the atomic sweep releases each once, the faithful one loses none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from echomq_lab.clock import FixedClock
from echomq_lab.keyspace import job_key, queue_key, record_key, registry_key
from echomq_lab.store import Connection, connect
from tests.long_counts import FAITHFUL_RACES, RACED, RACES, tenth
from tests.racing import Racers, racers

EIGHT_FIFTY = 1_767_603_000_000
QUARTER = 900_000
BATCH = 100


@pytest.fixture(params=[2, 8], ids=["two pumps", "eight pumps"], scope="module")
def pumps(request: pytest.FixtureRequest) -> Iterator[Racers]:
    with racers(request.param) as processes:
        yield processes


@pytest.fixture
def valkey(valkey_url: str) -> Iterator[Connection]:
    with connect(valkey_url, clock=FixedClock("08:50")) as conn:
        conn.send("FLUSHALL")
        yield conn


def make_due(conn: Connection, queue: str, count: int) -> list[str]:
    """Registrations whose template is their name, all due at 08:50, written as `register` writes them."""
    names = [f"n{number:05}" for number in range(count)]
    with conn.client.pipeline(transaction=False) as pipe:
        for name in names:
            pipe.hset(record_key(queue, name), mapping={"every_ms": str(QUARTER), "template": name})
        pipe.zadd(registry_key(queue), dict.fromkeys(names, EIGHT_FIFTY))
        pipe.execute()
    return names


def payloads(conn: Connection, queue: str) -> Counter[str]:
    """How many pending jobs there are of each registration; each id is a row of its own."""
    ids = conn.client.zrange(queue_key(queue, "pending"), 0, -1)
    assert len(set(ids)) == len(ids)
    with conn.client.pipeline(transaction=False) as pipe:
        for job_id in ids:
            pipe.hget(job_key(queue, job_id), "payload")
        return Counter(pipe.execute())


def all_advanced(conn: Connection, queue: str, names: list[str]) -> bool:
    scores = dict(conn.client.zrange(registry_key(queue), 0, -1, withscores=True))
    return scores == dict.fromkeys(names, EIGHT_FIFTY + QUARTER)


@pytest.mark.parametrize("repeats", [tenth(RACES), pytest.param(RACES, marks=pytest.mark.soak)])
def test_atomic_pumps_release_each_occurrence_exactly_once(valkey: Connection, pumps: Racers, repeats: int) -> None:
    for number in range(repeats):
        queue = f"race-{number}"
        names = make_due(valkey, queue, RACED)
        fired = pumps.race(valkey.url, queue, BATCH, "sweep_atomic")
        assert sum(fired) == RACED
        assert payloads(valkey, queue) == dict.fromkeys(names, 1)
        assert all_advanced(valkey, queue, names)
        assert valkey.send("DBSIZE") == 2 + 2 * RACED  # registry, pending, a record and a row each
        valkey.send("FLUSHALL")


@pytest.mark.parametrize(
    ("repeats", "count"),
    [(1, tenth(RACED)), pytest.param(FAITHFUL_RACES, RACED, marks=pytest.mark.soak)],
)
def test_faithful_pumps_release_some_twice_and_lose_none(
    valkey: Connection, pumps: Racers, repeats: int, count: int
) -> None:
    """That is the contract: two that read before either advances both fire, under ids of their own."""
    for number in range(repeats):
        queue = f"race-{number}"
        names = make_due(valkey, queue, count)
        fired = pumps.race(valkey.url, queue, BATCH, "sweep")
        found = payloads(valkey, queue)
        assert set(found) == set(names)
        assert found.total() == sum(fired) > count
        assert max(found.values()) <= len(fired)
        assert all_advanced(valkey, queue, names)
        valkey.send("FLUSHALL")
