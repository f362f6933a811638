"""The books of a queue under faults: after each, what was due, what was released, and how often.

    books = Books(conn)
    books.open()                     all registrations are due, no job is there, some one-shot jobs are due
    ... a pump sweeps and is cut off ...
    books.balance(twice_at_most=1)   raises where a registration, an occurrence or a job is lost, or too many are there

An entry's score is 0 while its occurrence is due; its release puts it an hour on. So each registration owes one job
from the moment its score has moved, and every job more than that ran twice.
"""

from __future__ import annotations

from collections import Counter

from echomq_lab import repeat
from echomq_lab.keyspace import job_key, queue_key, record_key, registry_key
from echomq_lab.store import Connection

Q = "books"
HOUR = 3_600_000
NAMES = [f"n{number:02}" for number in range(30)]
ONE_SHOTS = 3


class Books:
    """`conn` is a line to the store that no fault cuts, on the system's clock; the store holds this queue alone."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        conn.send("FLUSHALL")
        for name in NAMES:
            repeat.register(conn, Q, name, HOUR, name, HOUR)
        self._one_shots: list[str] = []
        self._opened_ms = self._before_ms = conn.now_ms()

    def open(self) -> None:
        """A round begins: all in one transaction, so that a pump that runs finds it whole."""
        client = self._conn.client
        rows = list(client.scan_iter(match=f"{queue_key(Q, 'job:')}*", count=1_000))
        self._one_shots = [self._conn.mint() for _ in range(ONE_SHOTS)]
        # A sweep that runs as the round opens has read its clock before that, but not before the last round.
        self._before_ms, self._opened_ms = self._opened_ms, self._conn.now_ms()
        with client.pipeline(transaction=True) as pipe:
            pipe.delete(queue_key(Q, "pending"), queue_key(Q, "schedule"), *rows)
            for job_id in self._one_shots:
                row = {"state": "scheduled", "attempts": "0", "payload": "one-shot"}
                pipe.hset(job_key(Q, job_id), mapping=row)
                pipe.zadd(queue_key(Q, "schedule"), {job_id: 0})
            pipe.zadd(registry_key(Q), dict.fromkeys(NAMES, 0))
            pipe.execute()

    def settled(self) -> bool:
        """Whether nothing is due any more, neither a registration nor a one-shot job."""
        due = self._conn.send("ZCOUNT", registry_key(Q), "-inf", self._conn.now_ms())
        return due == self._conn.send("ZCARD", queue_key(Q, "schedule")) == 0

    def balance(self, *, twice_at_most: int) -> int:
        """Check every key of the queue; answer how many registrations were released in this round.

        A pump that runs must have settled, or be dead: what moves cannot be counted.
        """
        # What a killed pump had sent is read by the server before the second of these.
        for _ in range(2):
            self._conn.send("PING")
        released = self._released()
        payloads = self._jobs()
        for name in released:
            assert payloads[name] > 0, f"{name} was released and has no job"
        twice = payloads - Counter(released)
        assert twice.total() <= twice_at_most, f"ran twice: {dict(twice)}"
        return len(released)

    def _released(self) -> list[str]:
        """The registrations whose entry has moved on; every entry and record is as it was written."""
        scores = dict(self._conn.client.zrange(registry_key(Q), 0, -1, withscores=True))
        assert sorted(scores) == NAMES
        records = self._hashes([record_key(Q, name) for name in NAMES])
        assert records == [{"every_ms": str(HOUR), "template": name} for name in NAMES]
        released = [name for name in NAMES if scores[name] != 0]
        for name in released:
            assert self._before_ms <= scores[name] - HOUR <= self._conn.now_ms()
        return released

    def _jobs(self) -> Counter[str]:
        """How many jobs each registration has; every job is whole, and every one-shot job is in one place."""
        client = self._conn.client
        pending = client.zrange(queue_key(Q, "pending"), 0, -1)
        scheduled = client.zrange(queue_key(Q, "schedule"), 0, -1)
        ids = [*pending, *scheduled]
        assert len(set(ids)) == len(ids)
        registry_and_places = 1 + bool(pending) + bool(scheduled)
        assert client.dbsize() == registry_and_places + len(NAMES) + len(ids), "a row without its place"
        rows = self._hashes([job_key(Q, job_id) for job_id in ids])
        for at, row in enumerate(rows):
            state = "pending" if at < len(pending) else "scheduled"
            assert row == {"state": state, "attempts": "0", "payload": row["payload"]}
        payloads = [row["payload"] for row in rows]
        one_shots = [job_id for job_id, payload in zip(ids, payloads, strict=True) if payload == "one-shot"]
        assert sorted(one_shots) == sorted(self._one_shots)
        return Counter(payload for payload in payloads if payload != "one-shot")

    def _hashes(self, keys: list[str]) -> list[dict[str, str]]:
        with self._conn.client.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.hgetall(key)
            return pipe.execute()
