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
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import NamedTuple, TypeAlias, TypeVar

from echomq_lab import ids, scripts
from echomq_lab.arguments import MAX_EXACT
from echomq_lab.errors import ArgumentError, shown
from echomq_lab.keyspace import queue_key, queue_name
from echomq_lab.repeat import whole_period_ms
from echomq_lab.store import Connection, takes_connection
from echomq_lab.wording import in_calendar, relative

#: How many examples of a kind are kept; all are counted.
MOST_EXAMPLES = 10
#: How many names one script looks at: a millisecond or two of the server's time.
PAGE = 250

Command: TypeAlias = tuple[str, ...]
Item = TypeVar("Item")


class State(StrEnum):
    """Whether a kind of finding is a fault, or only worth knowing."""

    FAULT = "fault"
    INFO = "info"


class Kind(NamedTuple):
    """A kind of finding, and what EchoMQ and the lab do with what it names."""

    name: str
    does: str
    state: State = State.FAULT


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found: its key, the member or field where it is one, what is held there, the commands that mend it."""

    kind: Kind
    key: str
    holds: str
    mend: tuple[Command, ...] = ()
    member: str | None = None
    field: str | None = None


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


# --------------------------------------------------------------------------------------------------- kinds of findings

_BROKEN = "EchoMQ's pump enqueues, fails, restarts and enqueues again; the lab's fires nothing for it and leaves it due"
MEMBER_ALONE = Kind("member without record", "the sweep that meets it removes it and fires nothing")
RECORD_ALONE = Kind("record without member", "never fires, and register answers exists, so no boot brings it back")
RECORD_LACKS = Kind("record without a field", "the sweep that meets it removes member and record and fires nothing")
RECORD_PERIOD = Kind("period that is none", _BROKEN)
RECORD_TYPE = Kind("record of another type", _BROKEN)
NAMELESS = Kind("name without text", "EchoMQ fires it; the lab's verbs refuse the name, and its sweep stops there")
NEXT_RUN = Kind("next run that is no millisecond", "due once the clock is past it, which for +inf is never")

ID_MALFORMED = Kind("id that is none", "a claim hands it out, and complete refuses it: it stays in active")
ID_NAMESPACE = Kind("id that is no JOB id", "enqueue refuses it (EMQKIND); who wrote it here went round the verbs")
ORPHAN_ID = Kind(
    "id without row", "a claim hands it out without a payload; complete answers gone and leaves it in active"
)
ORPHAN_ROW = Kind("row in no set", "no claim finds it, and enqueue answers duplicate to its id")
TWO_SETS = Kind(
    "id in two sets", "the job runs once from each, and the claim of one makes the token of the other stale"
)
ROW_TYPE = Kind("row of another type", "a claim takes the id out of pending and fails on the row: the job is in no set")
NO_PAYLOAD = Kind("row without payload", "a claim hands it out without a payload")
NO_STATE = Kind("row without state", "who reads the row learns nothing; the next promote or claim writes the state")
NO_ATTEMPTS = Kind("row without attempts", "complete answers gone and leaves the id; a claim counts from 0 again")
STATE = Kind("state that its set belies", "who reads the row is misled; the next promote or claim writes the state")
ATTEMPTS = Kind(
    "attempts that are no count", "a claim takes the id out of pending and fails; complete fits no token to it"
)
PENDING_SCORE = Kind("pending score that is not 0", "a claim takes lower scores first, whichever id is older")
DEAD_SCORE = Kind("dead score that is not 0", "the dead are no longer in the order of their ids")
RUN_AT = Kind("due time that is no millisecond", "promoted once the clock is past it, which for +inf is never")
LEASE = Kind("lease that is no millisecond", "the claim ends once the clock is past it, which for +inf is never")
COUNT = Kind("count that is no number", "complete removes the job, and then fails when it counts it")

DUE = Kind("registration due", "the next sweep fires it", State.INFO)
JOB_DUE = Kind("scheduled job due", "the next sweep promotes it", State.INFO)
LEASE_OVER = Kind("lease that ran out", "EchoMQ's reaper takes it back; the lab has none, so it stays", State.INFO)
PAUSED = Kind("paused", "claims answer empty; sweeps go on", State.INFO)
IN_LANE = Kind("row of a group", "it may be in a lane of EchoMQ's, where the lab does not look", State.INFO)
UNKNOWN = Kind("key outside the contract", "EchoMQ may know it; the lab leaves it alone", State.INFO)
UNSEEN = Kind("not looked at", "a sorted set that it needs is of another type: mend that, then look again", State.INFO)
NO_KEYS = Kind("queue without keys", "nobody has used it here yet, or it has another name", State.INFO)

#: Each key of a queue that is there once: its type, and what comes of another one.
_OWN = {
    "repeat": ("zset", "every verb of the registry fails, and the sweep with them"),
    "pending": ("zset", "nothing can be enqueued or claimed; what is due stays due"),
    "schedule": ("zset", "no job can be scheduled or promoted; the rest of a sweep goes on"),
    "active": ("zset", "a claim takes the id out of pending and fails: the job is in no set"),
    "dead": ("zset", "EchoMQ fails when a job is past its last attempt; the lab never reads it"),
    "meta": ("hash", "every claim fails"),
    "metrics:completed": ("hash", "complete removes the job, and then fails when it counts it"),
}
_OWN_TYPE = {own: Kind(f"{own} of another type", does) for own, (_, does) in _OWN.items()}

_STATES = {"pending": "pending", "schedule": "scheduled", "active": "active", "dead": "dead"}
# What HINCRBY takes: no sign before it, no zeros, a 64-bit number after it.
_COUNT = re.compile(r"0|[1-9][0-9]{0,18}")
_MOST_COUNTED = 2**63 - 2

KINDS = (
    *_OWN_TYPE.values(),
    *(MEMBER_ALONE, RECORD_ALONE, RECORD_LACKS, RECORD_PERIOD, RECORD_TYPE, NAMELESS, NEXT_RUN),
    *(ID_MALFORMED, ID_NAMESPACE, ORPHAN_ID, ORPHAN_ROW, TWO_SETS, ROW_TYPE, NO_PAYLOAD, NO_STATE, NO_ATTEMPTS),
    *(STATE, ATTEMPTS, PENDING_SCORE, DEAD_SCORE, RUN_AT, LEASE, COUNT),
    *(NO_KEYS, UNSEEN, DUE, JOB_DUE, LEASE_OVER, PAUSED, IN_LANE, UNKNOWN),
)


# ---------------------------------------------------------------------------------------------------------- the looking


class Seen(NamedTuple):
    """One name at one instant: its key's type, whether it has the content field, other fields, its scores by set."""

    name: str
    type: str
    content: bool
    fields: dict[str, str]
    scores: dict[str, float]


class Part(NamedTuple):
    """A half of the queue: sets of names, a hash for each name, and who judges what is seen of one."""

    name: str
    sets: tuple[str, ...]
    prefix: str
    content: str
    fields: tuple[str, ...]
    judge: Callable[[str, Seen, int], Iterator[Finding]]


@takes_connection
def examine(conn: Connection, queue: str) -> Report:
    """Look at every key of a queue, and answer what was found. Nothing is written.

    Registrations are held against the connection's clock, jobs against the server's (a fixed clock is both).
    Raises `ArgumentError` for what is no queue name, `StoreError` when the line is lost.
    """
    queue_name(queue)
    report = Report(queue, conn.now_ms())
    server_ms = _server_ms(conn)
    wrong = {}
    for own, (wanted, _) in _OWN.items():
        key = queue_key(queue, own)
        held = conn.send("TYPE", key)
        if held not in (wanted, "none"):
            wrong[own] = Finding(_OWN_TYPE[own], key, _a(held), (("RENAMENX", key, f"aside:{{{queue}}}:{own}"),))
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


def _server_ms(conn: Connection) -> int:
    if fixed := conn.server_now():
        return int(fixed[0])
    seconds, micros = conn.telling(conn.client.time)
    return int(seconds) * 1_000 + int(micros) // 1_000


def _tell_flags(conn: Connection, report: Report, wrong: dict[str, Finding]) -> None:
    meta, metrics = queue_key(report.queue, "meta"), queue_key(report.queue, "metrics:completed")
    paused = None if "meta" in wrong else conn.send("HGET", meta, "paused")
    if paused is not None:
        report.add(Finding(PAUSED, meta, shown(paused), field="paused"))
    count = None if "metrics:completed" in wrong else conn.send("HGET", metrics, "count")
    if count is not None and not _is_count(count):
        report.add(Finding(COUNT, metrics, shown(count), (("HSET", metrics, "count", "0"),), field="count"))


def _tell_due(conn: Connection, report: Report, kind: Kind, own: str, now_ms: int) -> None:
    key = queue_key(report.queue, own)
    if report.sizes.get(own) and (due := int(conn.send("ZCOUNT", key, "-inf", now_ms))):
        oldest = conn.telling(lambda: conn.client.zrange(key, 0, 0, withscores=True))
        for name, score in oldest:
            late = f", {relative(int(score), now_ms)}" if in_calendar(_whole(score)) else ""
            report.add(Finding(kind, key, f"the oldest, due at {_number(score)}{late}", member=name), due)


def _tell_empty(conn: Connection, report: Report) -> None:
    anything = _keys(conn, report.queue)
    if not conn.telling(lambda: next(anything, None)):
        report.add(Finding(NO_KEYS, queue_key(report.queue, "*"), "no such key"))


def _keys(conn: Connection, queue: str) -> Iterator[str]:
    prefix = queue_key(queue, "")
    pattern = re.sub(r"([\\*?\[\]^-])", r"\\\1", prefix) + "*"
    found: Iterator[str] = conn.client.scan_iter(match=pattern, count=4 * PAGE)
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
    known = tuple(queue_key(queue, part.prefix) for part in (REGISTRATIONS, JOBS))
    own = {queue_key(queue, each) for each in _OWN}
    for page in _pages(conn, _keys(conn, queue)):
        for part, now_ms in parts:
            prefix = queue_key(queue, part.prefix)
            names = [key.removeprefix(prefix) for key in page if key.startswith(prefix)]
            for _, finding in _findings(conn, queue, part, names, "there", now_ms):
                yield finding
        for key in page:
            if key not in own and not key.startswith(known):
                yield Finding(UNKNOWN, key, "not read")


def _pages(conn: Connection, items: Iterator[Item]) -> Iterator[list[Item]]:
    while page := conn.telling(lambda: list(islice(items, PAGE))):
        yield page


def _findings(
    conn: Connection, queue: str, part: Part, names: list[str], which: str, now_ms: int
) -> Iterator[tuple[Seen, Finding]]:
    odd = [seen.name for seen in _look(conn, queue, part, names, which) if any(part.judge(queue, seen, now_ms))]
    for seen in _look(conn, queue, part, odd, which):
        for finding in part.judge(queue, seen, now_ms):
            yield seen, finding


def _look(conn: Connection, queue: str, part: Part, names: list[str], which: str) -> Iterator[Seen]:
    """Read all about those names whose key is there, or gone, in one script, which holds for one instant."""
    if not names:
        return
    keys = [queue_key(queue, kind) for kind in part.sets]
    prefix = queue_key(queue, part.prefix)
    args: list[str | bytes | int] = [len(part.sets), prefix, which, part.content, *part.fields]
    answers = json.loads(scripts.run(conn, "look", keys + [prefix + name for name in names], args))
    for place, kind, content, values, scores in answers:
        fields = {each: value for each, value in zip(part.fields, values, strict=False) if value is not False}
        held = {each: float(score) for each, score in zip(part.sets, scores, strict=True) if score is not False}
        yield Seen(names[place - 1], kind, content == 1, fields, held)


# ---------------------------------------------------------------------------------------------------------- the judging


def _registration(queue: str, seen: Seen, now_ms: int) -> Iterator[Finding]:
    registry, record = queue_key(queue, "repeat"), queue_key(queue, f"repeat:{seen.name}")
    every_ms, score = seen.fields.get("every_ms"), seen.scores.get("repeat")
    period_ms = whole_period_ms(every_ms)
    drop, forget = ("ZREM", registry, seen.name), ("DEL", record)
    if score is None:
        if seen.type == "hash":
            yield Finding(RECORD_ALONE, record, _held(every_ms, seen.content), (forget,))
        elif seen.type != "none":
            yield Finding(RECORD_ALONE, record, _a(seen.type), (forget,))
    elif seen.type == "none":
        yield Finding(MEMBER_ALONE, registry, f"next run {_number(score)}", (drop,), member=seen.name)
    elif seen.type != "hash":
        yield Finding(RECORD_TYPE, record, _a(seen.type), (forget, drop))
    elif every_ms is None or not seen.content:
        lacks = "every_ms" if every_ms is None else "template"
        yield Finding(RECORD_LACKS, record, _held(every_ms, seen.content), (forget, drop), field=lacks)
    elif period_ms is None:
        yield Finding(RECORD_PERIOD, record, shown(every_ms), (forget, drop), field="every_ms")
    elif not seen.name:
        yield Finding(NAMELESS, registry, f"next run {_number(score)}", (forget, drop), member="")
    elif _whole(score) is None or abs(score) > MAX_EXACT:
        next_ms = str(min(_next_whole(score, now_ms + period_ms, now_ms), MAX_EXACT))
        yield Finding(NEXT_RUN, registry, _number(score), (("ZADD", registry, "XX", next_ms, seen.name),), seen.name)


def _job(queue: str, seen: Seen, now_ms: int) -> Iterator[Finding]:
    row, pending = queue_key(queue, f"job:{seen.name}"), queue_key(queue, "pending")
    sets = list(seen.scores)
    if not sets and seen.type == "none":
        return
    home = queue_key(queue, sets[0]) if sets else row
    held = f"in {' and '.join(sets) or 'no set'}"
    removal: tuple[Command, ...] = tuple(("ZREM", queue_key(queue, each), seen.name) for each in sets)
    if seen.type != "none":
        removal += (("DEL", row),)
    namespace = _namespace(seen.name)
    if namespace != "JOB":
        kind = ID_MALFORMED if namespace is None else ID_NAMESPACE
        yield Finding(kind, home, held, removal, member=seen.name if sets else None)
    elif seen.type == "none":
        yield Finding(ORPHAN_ID, home, held, removal, member=seen.name)
    elif seen.type != "hash":
        yield Finding(ROW_TYPE, row, f"{_a(seen.type)}; {held}", removal)
    elif not seen.content:
        yield Finding(NO_PAYLOAD, row, f"state {shown(seen.fields['state'])}; {held}", removal, field="payload")
    elif not sets and seen.fields.get("group") is not None:
        yield Finding(IN_LANE, row, shown(seen.fields.get("group")), field="group")
    else:
        state = seen.fields.get("state")
        place = next((each for each in sets if _STATES[each] == state), sets[0] if sets else "pending")
        state_right = ("HSET", row, "state", _STATES[place])
        if not sets:
            yield Finding(ORPHAN_ROW, row, f"state {shown(state)}", (state_right, ("ZADD", pending, "0", seen.name)))
        elif len(sets) > 1:
            others = tuple(("ZREM", queue_key(queue, each), seen.name) for each in sets if each != place)
            yield Finding(TWO_SETS, home, f"{held}; state {shown(state)}", (*others, state_right), member=seen.name)
        elif state is None:
            yield Finding(NO_STATE, row, held, (state_right,), field="state")
        elif state != _STATES[place]:
            yield Finding(STATE, row, f"{shown(state)}; {held}", (state_right,), field="state")
        yield from _attempts(row, seen.fields.get("attempts"), place)
        if place in seen.scores:
            yield from _score(queue_key(queue, place), seen.name, place, seen.scores[place], now_ms)


def _attempts(row: str, attempts: str | None, place: str) -> Iterator[Finding]:
    # A job in active was claimed, once at least.
    mend = (("HSET", row, "attempts", "1" if place == "active" else "0"),)
    if attempts is None:
        yield Finding(NO_ATTEMPTS, row, f"in {place}", mend, field="attempts")
    elif not _is_count(attempts):
        yield Finding(ATTEMPTS, row, shown(attempts), mend, field="attempts")


def _score(key: str, job_id: str, place: str, score: float, now_ms: int) -> Iterator[Finding]:
    if place in ("pending", "dead"):
        if score != 0:
            kind = PENDING_SCORE if place == "pending" else DEAD_SCORE
            yield Finding(kind, key, _number(score), (("ZADD", key, "XX", "0", job_id),), member=job_id)
    elif _whole(score) is None:
        mend = (("ZADD", key, "XX", str(_next_whole(score, now_ms, now_ms)), job_id),)
        yield Finding(RUN_AT if place == "schedule" else LEASE, key, _number(score), mend, member=job_id)
    elif place == "active" and score < now_ms:
        over = f", {relative(int(score), now_ms)}" if in_calendar(int(score)) else ""
        yield Finding(LEASE_OVER, key, f"until {_number(score)}{over}", member=job_id)


REGISTRATIONS = Part("the registrations", ("repeat",), "repeat:", "template", ("every_ms",), _registration)
JOBS = Part("the jobs", tuple(_STATES), "job:", "payload", ("state", "attempts", "group"), _job)


def _namespace(job_id: str) -> str | None:
    try:
        return ids.parse(job_id).namespace
    except ArgumentError:
        return None


def _is_count(text: str) -> bool:
    return bool(_COUNT.fullmatch(text)) and int(text) <= _MOST_COUNTED


def _whole(score: float) -> int | None:
    return int(score) if math.isfinite(score) and score == int(score) else None


def _next_whole(score: float, never: int, always: int) -> int:
    """A whole millisecond in a score's place: the one that it is in, or one for never and one for always."""
    if abs(score) <= MAX_EXACT:
        return math.floor(score)
    return never if score > 0 else always


def _number(score: float) -> str:
    whole = _whole(score)
    return f"{score:+}" if math.isinf(score) else str(score if whole is None else whole)


def _held(every_ms: str | None, template: bool) -> str:
    period = "no every_ms" if every_ms is None else f"every_ms {shown(every_ms)}"
    return f"{period}, {'a' if template else 'no'} template"


def _a(redis_type: str) -> str:
    """A type as the server names it, in words."""
    return {"zset": "a sorted set"}.get(redis_type, f"a {redis_type}")
