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
        self._opened_ms = 0

    def open(self) -> None:
        """A round begins: all in one transaction, so that a pump that runs finds it whole."""
        client = self._conn.client
        rows = [key for key in client.scan_iter(match=f"{queue_key(Q, 'job:')}*", count=1_000)]
        self._one_shots = [self._conn.mint() for _ in range(ONE_SHOTS)]
        self._opened_ms = self._conn.now_ms()
        with client.pipeline(transaction=True) as pipe:
            pipe.delete(queue_key(Q, "pending"), queue_key(Q, "schedule"), *rows)
            for job_id in self._one_shots:
                row = {"state": "scheduled", "attempts": "0", "payload": "one-shot"}
                pipe.hset(job_key(Q, job_id), mapping=row)
                pipe.zadd(queue_key(Q, "schedule"), {job_id: 0})
            pipe.zadd(registry_key(Q), dict.fromkeys(NAMES, 0))
            pipe.execute()

    def all_released(self) -> bool:
        """Whether nothing is due any more."""
        return self._conn.send("ZCOUNT", registry_key(Q), "-inf", self._conn.now_ms()) == 0

    def balance(self, *, twice_at_most: int) -> int:
        """Check every key of the queue; answer how many registrations were released in this round."""
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
        client = self._conn.client
        scores = dict(client.zrange(registry_key(Q), 0, -1, withscores=True))
        assert list(sorted(scores)) == NAMES
        for name in NAMES:
            assert client.hgetall(record_key(Q, name)) == {"every_ms": str(HOUR), "template": name}
        released = [name for name in NAMES if scores[name] != 0]
        for name in released:
            assert self._opened_ms <= scores[name] - HOUR <= self._conn.now_ms()
        return released

    def _jobs(self) -> Counter[str]:
        """How many jobs each registration has; every job is whole, and every one-shot job is in one place."""
        client = self._conn.client
        pending = client.zrange(queue_key(Q, "pending"), 0, -1)
        scheduled = client.zrange(queue_key(Q, "schedule"), 0, -1)
        rows = {job_id: client.hgetall(job_key(Q, job_id)) for job_id in [*pending, *scheduled]}
        assert len(rows) == len(pending) + len(scheduled)
        others = sum(map(bool, [NAMES, pending, scheduled])) + len(NAMES)
        assert client.dbsize() == len(rows) + others, "a row without its place"
        for job_id, row in rows.items():
            state = "pending" if job_id in pending else "scheduled"
            assert row == {"state": state, "attempts": "0", "payload": row["payload"]}
        one_shots = [job_id for job_id, row in rows.items() if row["payload"] == "one-shot"]
        assert sorted(one_shots) == sorted(self._one_shots)
        return Counter(row["payload"] for row in rows.values() if row["payload"] != "one-shot")
