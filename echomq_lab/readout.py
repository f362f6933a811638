"""What ran and what is stored, told in words: the twin of every figure, as plain text and as an HTML table.

    registry(conn, queue)       the registrations, their next runs and records
    keys(conn, queue)           every key of a queue and what it holds
    pending(conn, queue)        the jobs that wait, newest first
    branded(id)                 a branded id taken apart
    verdicts(run)               what each of two rules names next, in a sentence, and the ZADD that stores it
    marks(run)                  the next runs of two rules, in three readings
    next_runs(rule, *nows)      what a rule answers at one instant after another
    rewrites(trace)             what each step did to the registry's scores
    spread(run)                 which node of a cluster holds which queue
    steps(trace)                each command, what its script called, the reply, the keys it changed

`verdicts` answers lines of text, each other a `Table`: a snapshot that a notebook shows by itself and `print` tells as
text. Nothing in it is told by colour, and names are a stranger's text: escaped, on one line.

Source: widgets, "registry_view"; architecture, `readout`.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from echomq_lab import arguments, ids
from echomq_lab.cadence import Cron, Interval, takes_rule
from echomq_lab.clock import instant_ms
from echomq_lab.errors import ArgumentError
from echomq_lab.keyspace import queue_key, queue_name, record_key, registry_key
from echomq_lab.scenario import NAME, CadenceRun, SpreadRun, takes_run
from echomq_lab.store import Connection, takes_connection
from echomq_lab.trace import Held, Step, Trace, keys_of, takes_trace
from echomq_lab.wording import clock_time, day, in_calendar, iso_in, relative, span, visible

#: The widest table in characters that stays a table in plain text; a wider one is told row by row.
WIDEST = 140
_TYPES = {"zset": "sorted set", "hash": "hash", "string": "string", "list": "list", "set": "set"}
_CELL = "text-align:left;vertical-align:top;white-space:pre-wrap;overflow-wrap:"
# A longer word, a key, may be broken where the page is narrow; a shorter one keeps its column wide enough.
_UNBROKEN = 29


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """A caption, named columns, rows of text (a cell may hold several lines) and notes; the first cell heads its row.

    `str()` is the text; a notebook shows the same content as an HTML table.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [*self._columns_of_text()] if self._width() <= WIDEST else [*self._row_by_row()]
        return "\n".join([self.caption, *(lines if self.rows else ["  (nothing)"]), *self.notes])

    __repr__ = __str__

    def _width(self) -> int:
        return sum(self._widths()) + 2 * len(self.columns)

    def _columns_of_text(self) -> Iterator[str]:
        widths = self._widths()
        yield from _side_by_side(self.columns, widths)
        yield "  " + "  ".join("-" * width for width in widths)
        for row in self.rows:
            yield from _side_by_side(row, widths)

    def _widths(self) -> list[int]:
        cells = zip(self.columns, *self.rows, strict=True)
        return [max(len(line) for cell in column for line in cell.split("\n")) for column in cells]

    def _row_by_row(self) -> Iterator[str]:
        indent = max(map(len, self.columns)) + 4
        for row in self.rows:
            for column, cell in zip(self.columns, row, strict=True):
                first, *rest = cell.split("\n")
                yield f"  {column:<{indent - 2}}{first}".rstrip()
                yield from (" " * indent + line for line in rest)
            yield ""

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col" {_style(column)}>{html.escape(column)}</th>' for column in self.columns)
        body = "".join(
            f'<tr><th scope="row" {_style(first)}>{html.escape(first)}</th>'
            + "".join(f"<td {_style(cell)}>{html.escape(cell)}</td>" for cell in rest)
            + "</tr>"
            for first, *rest in self.rows
        )
        if not self.rows:
            body = f'<tr><td colspan="{len(self.columns)}" {_style("")}>(nothing)</td></tr>'
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        caption = f'<caption style="text-align:left;caption-side:top">{html.escape(self.caption)}</caption>'
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _style(cell: str) -> str:
    long = any(len(word) > _UNBROKEN for word in cell.split())
    return f'style="{_CELL}{"anywhere" if long else "normal"}"'


def _side_by_side(cells: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    split = [cell.split("\n") for cell in cells]
    for number in range(max(map(len, split))):
        lines = (cell[number] if number < len(cell) else "" for cell in split)
        yield ("  " + "  ".join(f"{line:<{width}}" for line, width in zip(lines, widths, strict=True))).rstrip()


@takes_connection
def registry(conn: Connection, queue: str) -> Table:
    """The registry of a queue: name, next run (UTC and ms), how far off by the connection's clock, period, template.

    Half states are told in words: "no record" for an entry whose record is gone, "not in the registry" for a record
    without an entry. Nothing is written, and nothing of it enters a trace. Raises `ReplyError` when the registry is no
    sorted set.
    """
    now_ms = conn.now_ms()
    client = conn.another().client
    prefix = record_key(queue, "x")[:-1]
    entries = conn.telling(lambda: client.zrange(registry_key(queue), 0, -1, withscores=True))
    scores = {name: int(score) if score.is_integer() else score for name, score in entries}
    held = {key.removeprefix(prefix): value for key, value in keys_of(client, prefix).items()}
    rows = [(visible(name), *_next_run(score, now_ms), *_record(held.get(name))) for name, score in scores.items()]
    rows += [
        (visible(name), "not in the registry", "never", "none", *_record(held[name])) for name in held.keys() - scores
    ]
    return Table(
        f"Registry {registry_key(queue)} at {_stamp(now_ms)}: {_count(len(scores), 'entry', 'entries')}",
        ("name", "next run (UTC)", "in how long", "score (Unix ms)", "every_ms", "template"),
        tuple(rows),
    )


def _next_run(score: int | float, now_ms: int) -> tuple[str, str, str]:
    if not isinstance(score, int) or not in_calendar(score):
        return "outside the calendar", "due" if score <= now_ms else "not due", str(score)
    late = "" if score > now_ms else "due " if score == now_ms else "due since "
    far = span(now_ms - score) if score < now_ms else relative(score, now_ms)
    return clock_time(score, seen_from_ms=now_ms), late + far, str(score)


def _record(held: Held) -> tuple[str, str]:
    if not isinstance(held, dict):
        missing = "no record" if held is None else "the record is no hash"
        return missing, missing
    every, template = held.get("every_ms"), held.get("template")
    if every is None:
        period = "no every_ms"
    elif every.isascii() and every.isdigit() and 0 < int(every[:17]) < 2**53:
        period = f"{every} ({span(int(every))})" if len(every) < 17 else visible(every, 40)
    else:
        period = f"{visible(every, 40)} (no period)"
    return period, "no template" if template is None else visible(template, 60)


@takes_connection
def keys(conn: Connection, queue: str) -> Table:
    """Every key of a queue, its type, and what it holds: member = score of a sorted set, field = value of a hash."""
    client = conn.another().client
    held = keys_of(client, queue_key(queue, ""))
    types = conn.telling(lambda: [_TYPES.get(str(client.type(key)), "other") for key in held])
    rows = [(visible(key), kind, holds(value)) for (key, value), kind in zip(held.items(), types, strict=True)]
    counted = _count(len(rows), "key", "keys")
    return Table(
        f"Queue {queue_name(queue)} at {_stamp(conn.now_ms())}: {counted}", ("key", "type", "holds"), tuple(rows)
    )


def verdicts(run: CadenceRun) -> str:
    """The verdict of each rule, and the ZADD that puts its score into the registry."""
    takes_run(run)
    cron, interval = run.lanes
    lines = []
    for lane, what in ((cron, "a wall-clock slot"), (interval, "the previous run plus the gap")):
        at_ms = lane.marks_ms[0]
        due = ", due: the next sweep releases it" if lane is interval and at_ms <= run.now_ms else ""
        time = clock_time(at_ms, lane.tz, seen_from_ms=run.now_ms)
        zone = "" if lane.tz == "UTC" else f" in {lane.tz}"
        rule = f"{lane.kind} {visible(lane.rule, 60)} ({lane.says})"
        lines.append(f"{rule}: next run {time}{zone}, {relative(at_ms, run.now_ms)}, {what}{due}.")
    key = registry_key(run.trace.queue)
    lines.append(f"The registry holds: ZADD {key} {interval.marks_ms[0]} {NAME}")
    lines.append(f"A cron slot would be: ZADD {key} {cron.marks_ms[0]} NAME")
    return "\n".join(lines)


@takes_connection
def pending(conn: Connection, queue: str, most: int = 50) -> Table:
    """Up to `most` pending jobs, newest mint first: id, when it was minted, and what its row holds."""
    client = conn.another().client
    now_ms = conn.now_ms()
    key = queue_key(queue, "pending")
    most = arguments.how_many("most", most)

    def read() -> list[tuple[str, dict[Any, Any]]]:
        waiting: Any = client.zrange(key, "+", "-", bylex=True, desc=True, offset=0, num=most)
        return [(each, client.hgetall(queue_key(queue, f"job:{each}"))) for each in waiting]

    count = int(conn.telling(lambda: client.zcard(key)))
    rows = [(visible(each), _minted(each, now_ms), *_row(row)) for each, row in conn.telling(read)]
    more = (f"and {count - most} older ones",) if count > most else ()
    caption = f"Pending {key}: {_count(count, 'job', 'jobs')}"
    return Table(caption, ("id", "minted (UTC)", "state", "attempts", "payload"), tuple(rows), more)


def branded(branded_id: str) -> Table:
    """A branded id taken apart. Raises `ArgumentError` for what is none."""
    parts = ids.parse(branded_id)
    return Table(
        f"Id {ids.checked(branded_id)}",
        ("part", "value"),
        (
            ("namespace", parts.namespace),
            ("snowflake", str(parts.snowflake)),
            ("minted", f"{iso_in(parts.unix_ms)} ({parts.unix_ms} ms)"),
            ("node", str(parts.node)),
            ("sequence", str(parts.sequence)),
        ),
    )


def _minted(branded_id: str, now_ms: int) -> str:
    try:
        at_ms = ids.parse(branded_id).unix_ms
    except ArgumentError:
        return "not a branded id"
    return f"{clock_time(at_ms, seen_from_ms=now_ms)}, {relative(at_ms, now_ms)}"


def _row(held: dict[Any, Any]) -> tuple[str, str, str]:
    if not held:
        return "no row", "no row", "no row"
    return (
        visible(str(held.get("state", "none"))),
        visible(str(held.get("attempts", "none"))),
        visible(str(held.get("payload", "none")), 60),
    )


def marks(run: CadenceRun) -> Table:
    """The next runs of a run's rules in three readings: clock time, how far from now, ISO and Unix ms."""
    takes_run(run)
    rows = [
        (
            visible(f"{lane.kind} {lane.rule}", 60),
            f"{clock_time(at_ms, lane.tz, seen_from_ms=run.now_ms)} {lane.tz}",
            relative(at_ms, run.now_ms),
            iso_in(at_ms, lane.tz),
            str(at_ms),
        )
        for lane in run.lanes
        for at_ms in lane.marks_ms
    ]
    return Table(
        f"Next runs, seen from {_stamp(run.now_ms)}",
        ("rule", "next run", "in how long", "ISO", "Unix ms"),
        tuple(rows),
        tuple(visible(f"{lane.kind} {lane.rule}: {lane.says} ({lane.source})", 300) for lane in run.lanes),
    )


def next_runs(rule: Cron | Interval, *nows: str | int) -> Table:
    """What `rule.next_at` answers at each of the instants (the forms of `FixedClock`), in the rule's zone."""
    takes_rule(rule)
    tz = rule.tz if isinstance(rule, Cron) else "UTC"
    rows = []
    for now in nows:
        now_ms = instant_ms(now, "now")
        at_ms = rule.next_at(now_ms)
        told = (clock_time(at_ms, tz, seen_from_ms=now_ms), relative(at_ms, now_ms), iso_in(at_ms, tz), str(at_ms))
        rows.append((iso_in(now_ms, tz)[:23].replace("T", " "), *told))
    text = f"cron {rule.expr}" if isinstance(rule, Cron) else f"interval every_ms {rule.every_ms}"
    return Table(
        visible(f"{text}: {rule.sentence()}", 300),
        (f"now ({tz})", f"next run ({tz})", "in how long", "ISO", "Unix ms"),
        tuple(rows),
    )


def rewrites(trace: Trace) -> Table:
    """What each step of a trace did to the scores of the registry: who wrote, and the score before and after."""
    takes_trace(trace)
    rows = []
    for step in trace.steps:
        for change in step.changes:
            if change.key != registry_key(trace.queue):
                continue
            before, after = _scores(change.before), _scores(change.after)
            for name in [*before, *(name for name in after if name not in before)]:
                if before.get(name) != after.get(name):
                    told = (_score(before.get(name), step.at_ms), _score(after.get(name), step.at_ms))
                    rows.append((_to_the_ms(step.at_ms), step.script or step.command[0], visible(name), *told))
    return Table(
        f"What was written to {registry_key(trace.queue)}",
        ("at (UTC)", "by", "name", "score before", "score after"),
        tuple(rows),
    )


def spread(run: SpreadRun) -> Table:
    """The slot of each queue, the node that has it, that node's slots, and the queue's keys as the node tells them.

    Where no cluster could be started it is the slots alone, and a note that says why.
    """
    arguments.instance("run", run, SpreadRun, "a run on a cluster", "try run = scenario.spread(['reports'], daily)")
    if not run.nodes:
        rows: list[tuple[str, ...]] = [(visible(queue), str(slot)) for queue, slot in run.slots.items()]
        told = f"No cluster can be started here, so no node was asked: {visible(run.why)}."
        return Table("The queues and their slots", ("queue", "slot"), tuple(rows), (told,))
    rows = []
    for queue, slot in run.slots.items():
        held = run.held(queue)
        if not held:
            rows.append((visible(queue), str(slot), "no node", "", "(none)"))
        for number, keys in held.items():
            node = run.nodes[number - 1]
            slots = f"{node.first} to {node.last}"
            rows.append((visible(queue), str(slot), f"node {number}", slots, "\n".join(map(visible, keys))))
    counts = ", ".join(f"node {number}: {len(node.keys)}" for number, node in enumerate(run.nodes, 1))
    return Table(
        f"The queues on a cluster of {len(run.nodes)} nodes, as each node tells what it holds",
        ("queue", "slot", "held by", "which has slots", "keys"),
        tuple(rows),
        (f"Keys in all: {counts}.",),
    )


def steps(trace: Trace) -> Table:
    """Each step of a trace: the command as it went out, the script's calls, the reply, and the keys it changed."""
    takes_trace(trace)
    rows = [
        (
            f"{number} at {_to_the_ms(step.at_ms)}",
            _sent(step),
            "\n".join(_words(call) for call in step.calls) or "(no script)",
            f"error: {visible(step.error)}" if step.error is not None else _reply(step.reply),
            "\n".join(_change(change.key, change.before, change.after) for change in step.changes) or "nothing",
        )
        for number, step in enumerate(trace.steps, 1)
    ]
    counted = _count(len(rows), "step", "steps")
    columns = ("step", "sent", "the script called", "reply", "changed")
    return Table(f"Queue {trace.queue}: {counted}", columns, tuple(rows))


def _sent(step: Step) -> str:
    if step.script is None:
        return _words(step.command)
    count = int(step.command[2])
    keys, args = step.command[3 : 3 + count], step.command[3 + count :]
    numbered = [f"KEYS[{i}] {visible(key)}" for i, key in enumerate(keys, 1)]
    numbered += [f"ARGV[{i}] {visible(arg, 60)}" for i, arg in enumerate(args, 1)]
    return "\n".join([f"{step.command[0]} {step.script}.lua", *numbered])


def _words(command: tuple[str, ...]) -> str:
    return " ".join(visible(word, 60) for word in command)


def _change(key: str, before: Held, after: Held) -> str:
    return f"{visible(key)}\n  before: {holds(before)}\n  after: {holds(after)}"


def _reply(reply: Any) -> str:
    if isinstance(reply, list):
        return f"[{', '.join(map(_reply, reply))}]"
    return "nil" if reply is None else visible(str(reply), 60)


def holds(held: Held) -> str:
    """What a key holds, in one line; "(no key)" for None."""
    if held is None:
        return "(no key)"
    if isinstance(held, str):
        return visible(held)
    parts = held.items() if isinstance(held, dict) else [each if isinstance(each, list) else [each] for each in held]
    return ", ".join(" = ".join(visible(str(part), 60) for part in each) for each in parts)


def _scores(held: Held) -> dict[str, Any]:
    return dict(held) if isinstance(held, list) else {}


def _score(score: Any, now_ms: int) -> str:
    if score is None:
        return "(no entry)"
    return f"{score} ({clock_time(score, seen_from_ms=now_ms)})" if in_calendar(score) else str(score)


def _stamp(at_ms: int) -> str:
    return f"{day(at_ms)}, {_to_the_ms(at_ms)} UTC"


def _to_the_ms(at_ms: int) -> str:
    return iso_in(at_ms)[11:23]


def _count(number: int, one: str, many: str) -> str:
    return f"{number or 'no'} {one if number == 1 else many}"
