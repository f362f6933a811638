"""What is amiss in one queue of a store: half states, broken records, orphans. It looks, and writes nothing.

    emq:{q}:*     every key of the contract     read here, written by `repeat`, `jobs` and EchoMQ

Names come a page at a time from SCAN and ZSCAN, so memory stays flat and the server is never held for long. All that is
said of a name was read by one script (`lua/look.lua`) and holds for one instant; what looks amiss is read once more
before it is told, so a queue that is in use meanwhile gives no false alarm: its verbs are one script each. It may be
another queue by the time the report is read, so look again before mending. While the store's own tables grow or shrink,
SCAN may give a key twice, which is then counted twice.

Source: wire contract, "Keys", "Verbs" and "Edges".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from echomq_lab import scripts
from echomq_lab.cluster import ClusterClient
from echomq_lab.errors import shown
from echomq_lab.keyspace import queue_key, queue_name
from echomq_lab.queue_findings import (
    COUNT,
    DUE,
    JOB_DUE,
    NO_KEYS,
    OWN,
    OWN_TYPE,
    PAUSED,
    STATES,
    UNKNOWN,
    UNSEEN,
    Finding,
    Kind,
    Seen,
    State,
    a_type,
    is_count,
    job,
    of_a_job,
    registration,
    told_at,
)
from echomq_lab.store import Connection, takes_connection

#: How many examples of a kind are kept; all are counted.
MOST_EXAMPLES = 10
#: How many names one script looks at: a millisecond or so of the server's time.
PAGE = 100

Item = TypeVar("Item")


@dataclass(slots=True)
class Found:
    """All of one kind: how many, and the first few."""

    count: int = 0
    examples: list[Finding] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """What one look at a queue found; `sizes` tells how many members each sorted set has."""

    queue: str
    now_ms: int
    sizes: dict[str, int] = field(default_factory=dict)
    found: dict[Kind, Found] = field(default_factory=dict)

    @property
    def faults(self) -> int:
        """How many findings are faults."""
        return sum(found.count for kind, found in self.found.items() if kind.state is State.FAULT)

    def add(self, finding: Finding, count: int = 1) -> None:
        """Count a finding, and keep it while there are few of its kind."""
        found = self.found.setdefault(finding.kind, Found())
        found.count += count
        if len(found.examples) < MOST_EXAMPLES:
            found.examples.append(finding)


class Part(NamedTuple):
    """A half of the queue: sets of names, a hash for each name, and who judges what is seen of one."""

    name: str
    sets: tuple[str, ...]
    prefix: str
    content: str
    fields: tuple[str, ...]
    judge: Callable[[str, Seen, int], Iterator[Finding]]


REGISTRATIONS = Part("the registrations", ("repeat",), "repeat:", "template", ("every_ms",), registration)
JOBS = Part("the jobs", tuple(STATES), "job:", "payload", ("state", "attempts", "group"), job)


@takes_connection
def examine(conn: Connection, queue: str) -> Report:
    """Look at every key of a queue, and answer what was found. Nothing is written.

    Registrations are held against the connection's clock, jobs against the server's (a fixed clock is both).
    Raises `ArgumentError` for what is no queue name, `StoreError` when the line is lost.
    """
    queue_name(queue)
    report = Report(queue, conn.now_ms())
    server_ms = _server_ms(conn, queue)
    wrong = {}
    for own, (wanted, _) in OWN.items():
        key = queue_key(queue, own)
        held = conn.send("TYPE", key)
        if held not in (wanted, "none"):
            wrong[own] = Finding(OWN_TYPE[own], key, a_type(held), (("RENAMENX", key, f"aside:{{{queue}}}:{own}"),))
            report.add(wrong[own])
        elif wanted == "zset":
            report.sizes[own] = int(conn.send("ZCARD", key))
    _tell_flags(conn, report, wrong)
    _tell_due(conn, report, DUE, "repeat", report.now_ms)
    _tell_due(conn, report, JOB_DUE, "schedule", server_ms)

    parts = []
    for part, now_ms in ((REGISTRATIONS, report.now_ms), (JOBS, server_ms)):
        if blind := [wrong[each].key for each in part.sets if each in wrong]:
            report.add(Finding(UNSEEN, blind[0], part.name))
        else:
            parts.append((part, now_ms))
            for finding in _without_key(conn, queue, part, now_ms):
                report.add(finding)
    for finding in _by_key(conn, queue, parts):
        report.add(finding)
    if not report.found and not any(report.sizes.values()):
        _tell_empty(conn, report)
    return report


def _server_ms(conn: Connection, queue: str) -> int:
    if fixed := conn.server_now():
        return int(fixed[0])
    seconds, micros = conn.telling(lambda: conn.client.time(**_where(conn, queue)))
    return int(seconds) * 1_000 + int(micros) // 1_000


def _where(conn: Connection, queue: str) -> dict[str, Any]:
    """The node of a cluster that has the queue, for a command that names none of its keys."""
    return conn.client.where(queue_key(queue, "")) if isinstance(conn.client, ClusterClient) else {}


def _tell_flags(conn: Connection, report: Report, wrong: dict[str, Finding]) -> None:
    meta, metrics = queue_key(report.queue, "meta"), queue_key(report.queue, "metrics:completed")
    paused = None if "meta" in wrong else conn.send("HGET", meta, "paused")
    if paused is not None:
        report.add(Finding(PAUSED, meta, shown(paused), field="paused"))
    count = None if "metrics:completed" in wrong else conn.send("HGET", metrics, "count")
    if count is not None and not is_count(count):
        report.add(Finding(COUNT, metrics, shown(count), (("HSET", metrics, "count", "0"),), field="count"))


def _tell_due(conn: Connection, report: Report, kind: Kind, own: str, now_ms: int) -> None:
    key = queue_key(report.queue, own)
    if report.sizes.get(own) and (due := int(conn.send("ZCOUNT", key, "-inf", now_ms))):
        oldest = conn.telling(lambda: conn.client.zrange(key, 0, 0, withscores=True))
        for name, score in oldest:
            report.add(Finding(kind, key, f"the oldest, due at {told_at(score, now_ms)}", member=name), due)


def _tell_empty(conn: Connection, report: Report) -> None:
    anything = _keys(conn, report.queue)
    if not conn.telling(lambda: next(anything, None)):
        report.add(Finding(NO_KEYS, queue_key(report.queue, "*"), "no such key"))


def _keys(conn: Connection, queue: str) -> Iterator[str]:
    prefix = queue_key(queue, "")
    pattern = re.sub(r"([\\*?\[])", r"\\\1", prefix) + "*"
    where = conn.telling(lambda: _where(conn, queue))
    found: Iterator[str] = conn.client.scan_iter(match=pattern, count=4 * PAGE, **where)
    return (key for key in found if key.startswith(prefix))


def _without_key(conn: Connection, queue: str, part: Part, now_ms: int) -> Iterator[Finding]:
    """What is amiss with names that have no key of their own, each told where its first set has it."""
    for each in part.sets:
        for page in _pages(conn, conn.client.zscan_iter(queue_key(queue, each), count=PAGE)):
            for seen, finding in _findings(conn, queue, part, [name for name, _ in page], "gone", now_ms):
                if next(iter(seen.scores), None) == each:
                    yield finding


def _by_key(conn: Connection, queue: str, parts: list[tuple[Part, int]]) -> Iterator[Finding]:
    """What is amiss with names that have a key, and the keys that the contract does not know."""
    registration_prefix, row_prefix = (queue_key(queue, part.prefix) for part in (REGISTRATIONS, JOBS))
    own = {queue_key(queue, each) for each in OWN}

    def known(key: str) -> bool:
        is_row = key.startswith(row_prefix) and not of_a_job(key.removeprefix(row_prefix))
        return is_row or key in own or key.startswith(registration_prefix)

    for page in _pages(conn, _keys(conn, queue)):
        for key in page:
            if not known(key):
                yield Finding(UNKNOWN, key, "not read")
        for part, now_ms in parts:
            prefix = queue_key(queue, part.prefix)
            names = [key.removeprefix(prefix) for key in page if key.startswith(prefix) and known(key)]
            for _, finding in _findings(conn, queue, part, names, "there", now_ms):
                yield finding


def _pages(conn: Connection, items: Iterator[Item]) -> Iterator[list[Item]]:
    while page := conn.telling(lambda: list(islice(items, PAGE))):
        yield page


def _findings(
    conn: Connection, queue: str, part: Part, names: list[str], which: str, now_ms: int
) -> Iterator[tuple[Seen, Finding]]:
    base = queue_key(queue, "")
    odd = [seen.name for seen in _look(conn, base, part, names, which) if any(part.judge(base, seen, now_ms))]
    for seen in _look(conn, base, part, odd, which):
        for finding in part.judge(base, seen, now_ms):
            yield seen, finding


def _look(conn: Connection, base: str, part: Part, names: list[str], which: str) -> Iterator[Seen]:
    """Read all about those names whose key is there, or gone, in one script, which holds for one instant."""
    if not names:
        return
    keys = [base + each for each in part.sets]
    prefix = base + part.prefix
    args: list[str | bytes | int] = [len(part.sets), prefix, which, part.content, *part.fields]
    answers = json.loads(scripts.run(conn, "look", keys + [prefix + name for name in names], args))
    for place, kind, content, values, scores in answers:
        fields = {each: value for each, value in zip(part.fields, values, strict=False) if value is not False}
        held = {each: float(score) for each, score in zip(part.sets, scores, strict=True) if score is not False}
        yield Seen(names[place - 1], kind, content == 1, fields, held)
