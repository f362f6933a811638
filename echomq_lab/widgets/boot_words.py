"""What boots did, in words: the readout and the tables beside the picture of dive 2.

Source: widgets, 2 ("the reply, the registry table and the record hash before and after, ZCARD").
"""

from __future__ import annotations

from collections.abc import Sequence

from echomq_lab.keyspace import queue_key, registry_key
from echomq_lab.readout import Table
from echomq_lab.scenario import BootRun, Way
from echomq_lab.trace import Held
from echomq_lab.widgets.boot_ladder import VERBS, answer, cell
from echomq_lab.wording import clock_time, visible

_MOST_ROWS = 6
_MOST_NAMED = 3


def told(run: BootRun, way: Way) -> str:
    """One call in sentences: what ran, what was answered, what it changed."""
    what = f"{run.what[0].upper()}{run.what[1:]} at {clock_time(run.at_ms)}"
    if not run.boots:
        return f"{what}: {answer(run)}. {_difference(run)}"
    cells = {verb: cell(run, verb, way) for verb in VERBS}
    rungs = ", ".join(word if word == "no probe" else f"{verb} {word}" for verb, word in cells.items())
    return f"{what}: {rungs}; answer: {answer(run)}. {_difference(run)}"


def standing(run: BootRun, log: Sequence[BootRun]) -> str:
    """What all boots so far have come to, and how many entries and records stand for the one schedule."""
    booted = [each for each in log if each.boots]
    answers = [told for each in booted for told in each.answers]
    counts = ", ".join(f"{answers.count(each)} {each}" for each in dict.fromkeys(answers)) or "none"
    entries = len(run.scores())
    records = len(run.after.keys() - {registry_key(run.trace.queue)})
    fires = f" One schedule stands there {entries} times, and each of its entries fires." if entries > 1 else ""
    return (
        f"Boots so far: {sum(each.boots for each in booted)} ({counts}). "
        f"One schedule: {_count(records, 'record')}, {_count(entries, 'registry entry')}.{fires}"
    )


def calls(log: Sequence[BootRun], way: Way) -> Table:
    """The last calls, newest first: what of the ladder ran in each, the answer, and the size of the registry after."""
    shown = list(reversed(log))[:_MOST_ROWS]
    rows = [
        (
            run.what,
            clock_time(run.at_ms),
            *(cell(run, verb, way) if run.boots else "no boot" for verb in VERBS),
            answer(run),
            str(len(run.scores())),
        )
        for run in shown
    ]
    more = (f"and {len(log) - len(shown)} earlier ones",) if len(log) > len(shown) else ()
    return Table("What was called, the last first", ("call", "at (UTC)", *VERBS, "answer", "ZCARD"), tuple(rows), more)


def before_and_after(run: BootRun) -> Table:
    """What the last call found and left: the size of the registry, the registry, the records."""
    queue = run.trace.queue
    keys = sorted({registry_key(queue), *run.before, *run.after}, key=lambda key: (key != registry_key(queue), key))
    rows = [("ZCARD", str(len(run.scores(before=True))), str(len(run.scores())))]
    rows += [(visible(key), _holds(run.before.get(key)), _holds(run.after.get(key))) for key in keys[:_MOST_ROWS]]
    more = (f"and {len(keys) - _MOST_ROWS} more keys",) if len(keys) > _MOST_ROWS else ()
    return Table(f"Before and after: {run.what}", ("key", "before", "after"), tuple(rows), more)


def nothing(queue: str) -> Table:
    """The same for a queue on which nothing was called."""
    return Table(f"Before and after: no call on {queue_key(queue, 'repeat')} yet", ("key", "before", "after"), ())


def _difference(run: BootRun) -> str:
    before, after = run.scores(before=True), run.scores()
    size = f"ZCARD {len(before)} before, {len(after)} after."
    if run.before == run.after:
        same = (
            "The same was written again" if run.called("HSET") else "Nothing was written" if run.boots else "No change"
        )
        return f"{same}. {size}"
    new = [f"{name} at {_time(after[name], run)}" for name in after if name not in before]
    gone = [name for name in before if name not in after]
    moved = [
        f"{name} from {_time(was, run)} to {_time(after[name], run)}"
        for name, was in before.items()
        if after.get(name, was) != was
    ]
    parts = [f"{word} {_some(names)}" for word, names in (("new:", new), ("gone:", gone), ("moved:", moved)) if names]
    return f"In the registry, {'; '.join(parts) or 'nothing moved, but a record was written'}. {size}"


def _time(at_ms: int, run: BootRun) -> str:
    return clock_time(at_ms, seen_from_ms=run.at_ms)


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _holds(held: Held) -> str:
    if isinstance(held, list):
        lines = [f"{visible(str(name), 40)} = {score} ({clock_time(score)})" for name, score in held[:_MOST_ROWS]]
        return "\n".join(lines + ([f"and {len(held) - _MOST_ROWS} more"] if len(held) > _MOST_ROWS else []))
    if isinstance(held, dict):
        return "\n".join(f"{field} = {visible(value, 40)}" for field, value in held.items())
    return "(no key)"


def _count(number: int, one: str) -> str:
    many = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    return f"{number} {one if number == 1 else many}"
