"""What can be amiss in a queue, and how it is told from what was seen of one name. Nothing here asks a store.

    registration(...)     what is amiss with one entry of the registry and its record
    job(...)              what is amiss with one job row and the sets that its id is in

Each finding tells the key, the member or field, what is held there, and the commands that mend it; its kind tells what
EchoMQ and the lab do with it. A mend keeps what can be kept: a job that can run is put back, a key in the way of the
queue's own is moved aside, and of a registration the half that is left is removed, since the next register, as at every
boot, makes it whole.

Source: wire contract, "Keys" and "Edges".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from echomq_lab import ids
from echomq_lab.arguments import MAX_EXACT
from echomq_lab.errors import ArgumentError, shown
from echomq_lab.pump import period_ms
from echomq_lab.wording import in_calendar, relative

Command: TypeAlias = tuple[str, ...]


class State(StrEnum):
    """Whether a kind of finding is a fault, or only worth knowing."""

    FAULT = "fault"
    INFO = "info"


class Kind(NamedTuple):
    """A kind of finding, what EchoMQ and the lab do with what it names, and what else its mend does."""

    name: str
    does: str
    state: State = State.FAULT
    besides: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found: its key, the member or field where it is one, what is held there, the commands that mend it."""

    kind: Kind
    key: str
    holds: str
    mend: tuple[Command, ...] = ()
    member: str | None = None
    field: str | None = None


class Seen(NamedTuple):
    """One name at one instant: its key's type, whether it has the content field, other fields, its scores by set."""

    name: str
    type: str
    content: bool
    fields: dict[str, str]
    scores: dict[str, float]


_FORGETS = "forgets the registration; register it again"
_DROPS = "drops the job"
_BROKEN = (
    "EchoMQ's pump enqueues, fails, restarts and enqueues again; the lab's fires nothing for it and leaves it due, "
    "so it keeps its place in every batch"
)
MEMBER_ALONE = Kind("member without record", "the sweep that meets it removes it and fires nothing")
RECORD_ALONE = Kind(
    "record without member", "never fires, and register answers exists, so no boot brings it back", besides=_FORGETS
)
RECORD_LACKS = Kind(
    "record without a field", "the sweep that meets it removes member and record and fires nothing", besides=_FORGETS
)
RECORD_PERIOD = Kind("every_ms that is no period", _BROKEN, besides=_FORGETS)
RECORD_TYPE = Kind("record of another type", _BROKEN, besides=_FORGETS)
NAMELESS = Kind(
    "name without text",
    "EchoMQ fires it; the lab's sweeps call it broken, and its verbs refuse the name",
    besides=_FORGETS,
)
NEXT_RUN = Kind("next run that is no millisecond", "due once the clock is past it, which for +inf is never")

ID_MALFORMED = Kind(
    "id that is no branded id", "a claim hands it out, and complete refuses it: it stays in active", besides=_DROPS
)
ID_NAMESPACE = Kind(
    "id that is no JOB id", "enqueue refuses it (EMQKIND); who wrote it here went round the verbs", besides=_DROPS
)
ORPHAN_ID = Kind(
    "id without row", "a claim hands it out without a payload; complete answers gone and leaves it in active"
)
ORPHAN_ROW = Kind(
    "row in no set",
    "no claim finds it, and enqueue answers duplicate to its id",
    besides="puts it into pending: it runs, even if it ran before",
)
TWO_SETS = Kind(
    "id in two sets",
    "the job may run once from each, and the claim of one makes the token of the other stale",
    besides="keeps it where its state says, else where it is named first",
)
ROW_TYPE = Kind(
    "row of another type",
    "a claim takes the id out of pending and fails on the row: the job is in no set",
    besides=_DROPS,
)
NO_PAYLOAD = Kind("row without payload", "a claim hands it out without a payload", besides=_DROPS)
NO_STATE = Kind("row without state", "who reads the row learns nothing; the next promote or claim writes the state")
NO_ATTEMPTS = Kind(
    "row without attempts",
    "complete answers gone and leaves the id; a claim counts from 0 again",
    besides="counts anew",
)
STATE = Kind("state that its set belies", "who reads the row is misled; the next promote or claim writes the state")
ATTEMPTS = Kind(
    "attempts that are no count",
    "a claim takes the id out of pending and fails; complete fits no token to it",
    besides="counts anew",
)
PENDING_SCORE = Kind("pending score that is not 0", "a claim takes lower scores first, whichever id is older")
DEAD_SCORE = Kind("dead score that is not 0", "the dead are no longer in the order of their ids")
RUN_AT = Kind("due time that is no millisecond", "promoted once the clock is past it, which for +inf is never")
LEASE = Kind("lease that is no millisecond", "the claim ends once the clock is past it, which for +inf is never")
COUNT = Kind(
    "count that is no number", "complete removes the job, and then fails when it counts it", besides="counts from 0"
)

DUE = Kind("registration due", "the next sweeps take them, oldest first", State.INFO)
JOB_DUE = Kind("scheduled job due", "the next sweeps promote them, oldest first", State.INFO)
LEASE_OVER = Kind("lease that ran out", "EchoMQ's reaper takes it back; the lab has none, so it stays", State.INFO)
PAUSED = Kind("paused", "claims answer empty; sweeps go on", State.INFO)
ELSEWHERE = Kind("row of a lane or a flow", "EchoMQ keeps it in places that the lab does not look into", State.INFO)
UNKNOWN = Kind("key outside the contract", "EchoMQ may know it; the lab leaves it alone", State.INFO)
UNSEEN = Kind("not looked at", "a sorted set that it needs is of another type: mend that, then look again", State.INFO)
NO_KEYS = Kind("queue without keys", "nobody has used it here yet, or it has another name", State.INFO)

#: Each key of a queue that is there once: its type, and what comes of another one.
OWN = {
    "repeat": ("zset", "every verb of the registry fails, and the sweep with them"),
    "pending": ("zset", "nothing can be enqueued or claimed; what is due stays due"),
    "schedule": ("zset", "no job can be scheduled or promoted; the rest of a sweep goes on"),
    "active": ("zset", "a claim takes the id out of pending and fails: the job is in no set"),
    "dead": ("zset", "EchoMQ fails when a job is past its last attempt; the lab never reads it"),
    "meta": ("hash", "every claim fails"),
    "metrics:completed": ("hash", "complete removes the job, and then fails when it counts it"),
}
OWN_TYPE = {own: Kind(f"{own} of another type", does, besides="moves the key aside") for own, (_, does) in OWN.items()}

STATES = {"pending": "pending", "schedule": "scheduled", "active": "active", "dead": "dead"}
# HINCRBY takes no plus sign and no leading zeros; and a script answers its sum as a double.
_COUNT = re.compile(r"0|[1-9][0-9]{0,15}")
_MOST_COUNTED = MAX_EXACT - 1

KINDS = (
    *OWN_TYPE.values(),
    *(MEMBER_ALONE, RECORD_ALONE, RECORD_LACKS, RECORD_PERIOD, RECORD_TYPE, NAMELESS, NEXT_RUN),
    *(ID_MALFORMED, ID_NAMESPACE, ORPHAN_ID, ORPHAN_ROW, TWO_SETS, ROW_TYPE, NO_PAYLOAD, NO_STATE, NO_ATTEMPTS),
    *(STATE, ATTEMPTS, PENDING_SCORE, DEAD_SCORE, RUN_AT, LEASE, COUNT),
    *(NO_KEYS, UNSEEN, DUE, JOB_DUE, LEASE_OVER, PAUSED, ELSEWHERE, UNKNOWN),
)


def registration(base: str, seen: Seen, now_ms: int) -> Iterator[Finding]:
    """What is amiss with one name of the registry, if anything; `base` is `emq:{q}:`, `now_ms` the host's clock."""
    registry, record = base + "repeat", base + "repeat:" + seen.name
    every_ms, score = seen.fields.get("every_ms"), seen.scores.get("repeat")
    period = None if every_ms is None else period_ms(every_ms)
    drop, forget = ("ZREM", registry, seen.name), ("DEL", record)
    if score is None:
        if seen.type == "hash":
            yield Finding(RECORD_ALONE, record, _held(every_ms, seen.content), (forget,))
        elif seen.type != "none":
            yield Finding(RECORD_ALONE, record, a_type(seen.type), (forget,))
    elif seen.type == "none":
        yield Finding(MEMBER_ALONE, registry, f"next run {_number(score)}", (drop,), member=seen.name)
    elif seen.type != "hash":
        yield Finding(RECORD_TYPE, record, a_type(seen.type), (forget, drop))
    elif every_ms is None or not seen.content:
        lacks = "every_ms" if every_ms is None else "template"
        yield Finding(RECORD_LACKS, record, _held(every_ms, seen.content), (forget, drop), field=lacks)
    elif period is None:
        yield Finding(RECORD_PERIOD, record, shown(every_ms), (forget, drop), field="every_ms")
    elif not seen.name:
        yield Finding(NAMELESS, registry, f"next run {_number(score)}", (forget, drop), member="")
    elif _whole(score) is None or abs(score) > MAX_EXACT:
        next_ms = str(min(_next_whole(score, now_ms + period, now_ms), MAX_EXACT))
        yield Finding(NEXT_RUN, registry, _number(score), (("ZADD", registry, "XX", next_ms, seen.name),), seen.name)


def job(base: str, seen: Seen, now_ms: int) -> Iterator[Finding]:
    """What is amiss with one job id, if anything; `base` is `emq:{q}:`, `now_ms` the server's clock."""
    row, pending = base + "job:" + seen.name, base + "pending"
    sets = list(seen.scores)
    if not sets and seen.type == "none":
        return
    home = base + sets[0] if sets else row
    state, group = seen.fields.get("state"), seen.fields.get("group")
    told_state = "no state" if state is None else f"state {shown(state)}"
    held = f"in {' and '.join(sets) or 'no set'}"
    removal: tuple[Command, ...] = tuple(("ZREM", base + each, seen.name) for each in sets)
    if seen.type != "none":
        removal += (("DEL", row),)
    namespace = _namespace(seen.name)
    if namespace != "JOB":
        kind = ID_MALFORMED if namespace is None else ID_NAMESPACE
        yield Finding(kind, home, held, removal, member=seen.name if sets else None)
    elif seen.type == "none":
        yield Finding(ORPHAN_ID, home, held, removal, member=seen.name)
    elif seen.type != "hash":
        yield Finding(ROW_TYPE, row, f"{a_type(seen.type)}; {held}", removal)
    elif not seen.content:
        yield Finding(NO_PAYLOAD, row, f"{told_state}; {held}", removal, field="payload")
    elif not sets and (group is not None or state not in (None, *STATES.values())):
        lane = "" if group is None else f", group {shown(group)}"
        yield Finding(ELSEWHERE, row, told_state + lane)
    else:
        place = next((each for each in sets if STATES[each] == state), sets[0] if sets else "pending")
        state_right = ("HSET", row, "state", STATES[place])
        if not sets:
            yield Finding(ORPHAN_ROW, row, told_state, (state_right, ("ZADD", pending, "0", seen.name)))
        elif len(sets) > 1:
            others = tuple(("ZREM", base + each, seen.name) for each in sets if each != place)
            yield Finding(TWO_SETS, home, f"{held}; {told_state}", (*others, state_right), member=seen.name)
        elif state is None:
            yield Finding(NO_STATE, row, held, (state_right,), field="state")
        elif state != STATES[place]:
            yield Finding(STATE, row, f"{shown(state)}; {held}", (state_right,), field="state")
        yield from _attempts(row, seen.fields.get("attempts"), place)
        if place in seen.scores:
            yield from _score(base + place, seen.name, place, seen.scores[place], now_ms)


def _attempts(row: str, attempts: str | None, place: str) -> Iterator[Finding]:
    # A job in active was claimed, once at least.
    mend = (("HSET", row, "attempts", "1" if place == "active" else "0"),)
    if attempts is None:
        yield Finding(NO_ATTEMPTS, row, f"in {place}", mend, field="attempts")
    elif not is_count(attempts):
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
        yield Finding(LEASE_OVER, key, f"until {told_at(score, now_ms)}", member=job_id)


def of_a_job(name: str) -> bool:
    """Whether what stands after `job:` is a job's id and more, as EchoMQ names what it keeps beside a row."""
    return name[14:15] == ":" and _namespace(name[:14]) is not None


def _namespace(job_id: str) -> str | None:
    try:
        return ids.parse(job_id).namespace
    except ArgumentError:
        return None


def is_count(text: str) -> bool:
    """Whether a text is a count, 0 or more, that a script can add one to and answer."""
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


def told_at(score: float, now_ms: int) -> str:
    """A score, and how far it is from now where a calendar can tell."""
    at_ms = math.floor(score) if math.isfinite(score) else None
    if at_ms is None or not in_calendar(at_ms):
        return _number(score)
    return f"{_number(score)}, {relative(at_ms, now_ms)}"


def _held(every_ms: str | None, template: bool) -> str:
    period = "no every_ms" if every_ms is None else f"every_ms {shown(every_ms)}"
    return f"{period}, {'a' if template else 'no'} template"


def a_type(redis_type: str) -> str:
    """A type as the server names it, in words."""
    return {"zset": "a sorted set"}.get(redis_type, f"a {redis_type}")
