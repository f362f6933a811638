"""Facts captured from EchoMQ itself: from the same keys, the same call gives the same answer and the same keys.

Each step of `data/echomq_golden.json` is replayed alone: the keys of the step before it are put into the store, the
clock is set to the step's now, the call is made. On a server, MONITOR shows that the scripts called the same commands
in the same order. Left out: script loading, TIME (the lab's clock is fixed) and `HGET ... group` (EchoMQ's lanes).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from echomq_lab import FixedClock, ids, jobs, pump, repeat
from echomq_lab.cluster import ClusterClient
from echomq_lab.errors import KindError, LabError, ReplyError, StaleError
from echomq_lab.store import Connection
from echomq_lab.trace import keys_of

GOLDEN = json.loads((Path(__file__).parent / "data" / "echomq_golden.json").read_text(encoding="utf-8"))

VERBS: dict[str, Callable[..., Any]] = {
    "Jobs.browse": jobs.browse,
    "Jobs.claim": jobs.claim,
    "Jobs.complete": lambda conn, queue, job_id, token, result=None: jobs.complete(conn, queue, job_id, token),
    "Jobs.enqueue": jobs.enqueue,
    "Jobs.enqueue_at": jobs.enqueue_at,
    "Jobs.enqueue_in": jobs.enqueue_in,
    "Jobs.pending_size": jobs.pending_size,
    "Jobs.promote": jobs.promote,
    "Pump.sweep": pump.sweep,
    "Repeat.advance": repeat.advance,
    "Repeat.cancel": repeat.cancel,
    "Repeat.count": repeat.count,
    "Repeat.due": repeat.due,
    "Repeat.register": repeat.register,
}
#: Calls of EchoMQ that the lab does not have.
ABSENT = {
    "Jobs.enqueue_many",
    "Pump.Core.batch",
    "Pump.Core.tick_ms",
    "Pump.child_spec",
    "Pump.start_link",
    "out-of-band",
}
#: Where the lab differs on purpose: the step, and the row of the wire contract's table of edges.
BAD_EVERY_MS = "a record with a bad `every_ms`, or of the wrong type: reported as broken, nothing enqueued"
REFUSED_NAMES = "names and queues: an empty name, an empty queue or one with a brace is refused"
DIFFERENT = {
    ("sweep-broken-records", 7): BAD_EVERY_MS,
    ("sweep-broken-records", 8): BAD_EVERY_MS,
    ("sweep-broken-records", 9): BAD_EVERY_MS,
    ("sweep-broken-records", 11): BAD_EVERY_MS,
    ("sweep-broken-records", 12): BAD_EVERY_MS,
    ("sweep-broken-records", 13): BAD_EVERY_MS,
    ("edge-register", 19): REFUSED_NAMES,
    ("edge-register", 20): REFUSED_NAMES,
    ("edge-register", 28): REFUSED_NAMES,
}
#: The file rounds a score of now + 1 ms, from a period of 1 ms, to "now".
PERIOD_OF_1_MS = {("main", 25), ("batch-limit", 7), ("batch-limit", 8)}

_LABEL = re.compile(r"<(T|JOB:|ORD:)([0-9]+)>")
_MONITORED = re.compile(r'"((?:[^"\\]|\\.)*)"')


class Atom:
    """An Elixir atom: to the lab, a thing that is no text."""


@dataclass(frozen=True)
class Replay:
    """One step of the golden file, ready to be replayed: labels are resolved against the step's own now.

    `left_out_ms` is what the file's word "now" leaves out of this step's new scores.
    """

    step: dict[str, Any]
    before: list[dict[str, Any]]
    now_ms: int
    left_out_ms: int
    old_times: dict[str, int]

    @property
    def place(self) -> tuple[str, int]:
        return self.step["group"], self.step["step"]

    def resolved(self, value: Any, fresh: dict[str, str]) -> Any:
        """Golden data as the lab's: times and ids for labels, atoms and byte strings decoded."""
        if isinstance(value, str):
            if re.fullmatch(r":[a-z_]+", value):
                return Atom()
            return _LABEL.sub(lambda label: self._label(label[0], fresh), value)
        if isinstance(value, list):
            return [self.resolved(each, fresh) for each in value]
        if isinstance(value, dict):
            ((kind, held),) = value.items()
            if kind == "b64":
                return base64.b64decode(held).decode("utf-8", "surrogateescape")
            return {"int": int, "float": float}.get(kind, lambda _: value)(held)
        return value

    def _label(self, label: str, fresh: dict[str, str]) -> str:
        if label in fresh:
            return fresh[label]
        if not label.startswith("<T"):
            return golden_id(label)
        name = label[1:-1]
        if name in self.old_times:
            return str(self.old_times[name])
        left_out = self.left_out_ms if label in json.dumps(self.step["dump"]) else 0
        return str(self.now_ms + left_out + _offset_ms(GOLDEN["times"][self.step["group"]][name]))


def golden_id(label: str) -> str:
    """An id for a label such as <JOB:2>: older than any that a step mints, in the order of the numbers."""
    namespace, number = label[1:4], int(label[5:-1])
    return ids.encode(namespace, (1_796_000_000_000 - ids.EPOCH_MS << 22) + number)


def _offset_ms(time: dict[str, Any]) -> int:
    return int(time["is"].removeprefix("now") or 0)


def replays() -> Iterator[Replay]:
    group, before, old_times, now_ms = "", [], {}, 0
    for step in GOLDEN["steps"]:
        times = GOLDEN["times"][step["group"]]
        if step["group"] != group:
            group, before, old_times, now_ms = step["group"], [], {}, 1_796_044_770_000
        new = {name: time for name, time in times.items() if time["first_step"] == step["step"]}
        now_ms = max([now_ms, *(int(time["raw"]) - _offset_ms(time) for time in new.values())])
        period_ms = 1 if (group, step["step"]) in PERIOD_OF_1_MS else 0
        yield Replay(step, before, now_ms - period_ms, period_ms, dict(old_times))
        old_times |= {name: int(time["raw"]) for name, time in new.items()}
        before = step["dump"]


REPLAYS = [replay for replay in replays() if replay.step["call"] in VERBS]


def test_every_call_of_the_file_is_replayed_or_named_as_absent() -> None:
    assert {step["call"] for step in GOLDEN["steps"]} == VERBS.keys() | ABSENT
    assert len(REPLAYS) == 170


@pytest.mark.parametrize("replay", REPLAYS, ids=lambda r: f"{r.place[0]}-{r.place[1]}: {r.step['label']}")
def test_step(replay: Replay, conn: Connection, request: pytest.FixtureRequest) -> None:
    clock = conn.clock
    assert isinstance(clock, FixedClock)
    clock.set(replay.now_ms, back=True)
    load(conn, replay)
    was = dump(conn)
    args = [replay.resolved(arg, {}) for arg in replay.step["args"]]
    with script_calls(conn, str(args[0])) as calls:
        answer = told(VERBS[replay.step["call"]], conn, *args)
    now = dump(conn)

    if replay.place in DIFFERENT:
        assert now == was
        if DIFFERENT[replay.place] == BAD_EVERY_MS:
            assert answer == {"promoted": 0, "fired": 0, "broken": ["bad"], "swept": 0}
        else:
            assert answer is LabError
        return
    if "raises" in replay.step:
        assert isinstance(answer, type)
        assert issubclass(answer, LabError)
        assert now == was
        return
    fresh = minted(replay, was, now)
    assert answer == expected_answer(replay, fresh)
    assert now == expected_dump(replay, fresh)
    if "fakeredis" not in request.node.callspec.id:
        assert calls == expected_calls(replay, fresh)


def load(conn: Connection, replay: Replay) -> None:
    """Put the keys of the step before into the store, then what another client did before this step."""
    for entry in replay.before:
        key, value = replay.resolved(entry["key"], {}), replay.resolved(entry["value"], {})
        if entry["type"] == "zset":
            conn.client.zadd(key, {member: float(score) for member, score in value})
        elif entry["type"] == "hash":
            conn.client.hset(key, mapping=dict(value))
        else:
            conn.client.set(key, value)
    for command in replay.step.get("setup_by_another_client", []):
        conn.client.execute_command(*(replay.resolved(word, {}) for word in command))


def dump(conn: Connection) -> dict[str, Any]:
    return keys_of(conn.client, "emq:")


def told(verb: Callable[..., Any], *args: Any) -> Any:
    """The answer as plain data; for a refusal the class, told apart as far as EchoMQ's answers do."""
    try:
        answer = verb(*args)
    except (KindError, ReplyError, StaleError) as error:
        return type(error)
    except LabError:
        return LabError
    if isinstance(answer, pump.Sweep):
        return {name: getattr(answer, name) for name in ("promoted", "fired", "swept", "broken")}
    if isinstance(answer, jobs.Claimed):
        return list(answer)
    if isinstance(answer, list):
        return [list(each) if isinstance(each, tuple) else each for each in answer]
    return str(answer) if isinstance(answer, str) else answer


def minted(replay: Replay, was: dict[str, Any], now: dict[str, Any]) -> dict[str, str]:
    """The labels that the step's keys hold for the first time, with the ids that this run minted, in order."""

    def job_ids(keys: Any) -> set[str]:
        return {key.rpartition(":job:")[2] for key in keys if ":job:" in key}

    labels = {label[0] for label in re.finditer(r"<JOB:[0-9]+>", json.dumps(replay.step["dump"]))}
    known = {label[0] for label in re.finditer(r"<JOB:[0-9]+>", json.dumps([replay.before, replay.step["args"]]))}
    new = sorted(labels - known, key=lambda label: int(label[5:-1]))
    fresh = sorted(job_ids(now) - job_ids(was)) if new else []
    return dict(zip(new, fresh, strict=True))


def expected_answer(replay: Replay, fresh: dict[str, str]) -> Any:
    match replay.step["returns"]:
        case {"tuple": [":error", ":kind"]}:
            return KindError
        case {"tuple": [":error", ":stale"]}:
            return StaleError
        case {"tuple": [":error", ":gone"]}:
            return "gone"
        case ":empty":
            return None
        case ":ok":
            return "ok"
        case {"tuple": [":ok", {"tuple": [str(), _, int()] as job}]}:
            return replay.resolved(job, fresh)
        case {"tuple": [":error", {"tuple": [":server", _]}]} | {"tuple": [":ok", {"tuple": [":error_reply", _]}]}:
            return ReplyError
        case {"tuple": [":ok", {"map": pairs}]}:
            counts = {key[1:]: value for key, value in pairs if key != ":delivered"}
            return counts | {"swept": len(swept(replay)), "broken": []}
        case {"tuple": [":ok", str(atom)]}:
            return atom[1:]
        case {"tuple": [":ok", list(rows)]}:
            rows = [row["tuple"] if isinstance(row, dict) else row for row in rows]
            return replay.resolved(rows, fresh)
        case {"tuple": [":ok", int(number)]}:
            return number
    raise AssertionError(replay.step["returns"])


def swept(replay: Replay) -> set[str]:
    """The entries that EchoMQ's sweep removed by its cancel script."""
    return {line["args"][5] for line in replay.step["monitor"] if line.get("script") == "repeat_cancel"}


def expected_dump(replay: Replay, fresh: dict[str, str]) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    for entry in replay.step["dump"]:
        value = replay.resolved(entry["value"], fresh)
        if entry["type"] == "zset":
            value = [[member, int(score)] for member, score in value]
            value.sort(key=lambda pair: (pair[1], pair[0].encode("utf-8", "surrogateescape")))
        elif entry["type"] == "hash":
            value = dict(value)
        keys[replay.resolved(entry["key"], fresh)] = value
    return keys


def expected_calls(replay: Replay, fresh: dict[str, str]) -> list[list[str]]:
    calls = [replay.resolved(line["args"], fresh) for line in replay.step["monitor"] if line["by"] == "lua"]
    return [call for call in calls if call[0] != "TIME" and not (call[0] == "HGET" and call[2] == "group")]


@contextmanager
def script_calls(conn: Connection, queue: str) -> Iterator[list[list[str]]]:
    """The commands that scripts called while the block ran, read off MONITOR; none on fakeredis, which has none."""
    calls: list[list[str]] = []
    if conn.url.startswith("embedded://fakeredis"):
        yield calls
        return
    node: dict[str, Any] = {}
    if isinstance(conn.client, ClusterClient):
        conn.client.exists(key := f"emq:{{{queue}}}:")
        node = {"target_nodes": conn.client.get_node_from_key(key)}
        pool = node["target_nodes"].redis_connection.connection_pool
    else:
        pool = conn.client.connection_pool
    watch = pool.get_connection()
    try:
        watch.send_command("MONITOR")
        watch.read_response()
        yield calls
        conn.client.echo("the step is over", **node)
        while '"the step is over"' not in (line := watch.read_response()):
            if " lua]" in line:
                calls.append([unquoted(word) for word in _MONITORED.findall(line)])
    finally:
        watch.disconnect()
        pool.release(watch)


def unquoted(word: str) -> str:
    """A word of a MONITOR line, whose odd bytes are escaped as in C."""
    return word.encode("ascii").decode("unicode_escape").encode("latin-1").decode("utf-8", "surrogateescape")
