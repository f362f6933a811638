"""What an order of blocks is and does, in words: the lists, and the two boots that tried it.

Source: widgets, 6.
"""

from __future__ import annotations

from collections.abc import Sequence

from echomq_lab.keyspace import registry_key
from echomq_lab.readout import Table
from echomq_lab.scenario import BLOCKS
from echomq_lab.scenario.register_blocks import PERIODS_MS
from echomq_lab.trace import Change, Held, Step, Trace
from echomq_lab.wording import clock_time, span


def lists(order: Sequence[str]) -> str:
    """The blocks in the script and those left over, a line each."""
    left = [letter for letter in BLOCKS if letter not in order]
    lines = []
    for words, letters in (("In the script", order), ("Left over", left)):
        lines += [f"{words}:", *(f"  {letter}  {BLOCKS[letter]}" for letter in letters)]
        if not letters:
            lines.append("  (no block)")
    return "\n".join(lines)


def boots(run: Trace, order: Sequence[str]) -> Table:
    """The two boots that tried an order: what each called, the reply, and what changed in registry and record."""
    rows = [
        (
            f"{number} at {clock_time(step.at_ms)}\nevery {span(every_ms)}",
            "\n".join(" ".join(_short(run, word) for word in call) for call in step.calls) or "nothing",
            _reply(step),
            "\n".join(_change(run, change) for change in step.changes) or "nothing",
        )
        for number, (step, every_ms) in enumerate(zip(run.steps, PERIODS_MS, strict=True), 1)
    ]
    return Table(f"Two boots by {_named(order)}", ("boot", "the script called", "reply", "changed"), tuple(rows))


def told(run: Trace, order: Sequence[str]) -> str:
    """The same in a sentence for each boot."""
    lines = []
    for number, step in enumerate(run.steps, 1):
        called = ", ".join(call[0] for call in step.calls) or "nothing"
        changed = " and ".join(_short(run, change.key) for change in step.changes) or "nothing"
        at = clock_time(step.at_ms)
        lines.append(f"Boot {number} at {at}: called {called}; reply {_reply(step)}; changed {changed}.")
    return "\n".join([f"Tried: {_named(order)}.", *lines])


def _named(order: Sequence[str]) -> str:
    return f"the order {', '.join(order)}" if order else "a script without blocks"


def _short(run: Trace, word: str) -> str:
    """A word of a command, keys by what they are: the two keys of the exercise are always the same."""
    if not word.startswith(registry_key(run.queue)):
        return word
    return "registry" if word == registry_key(run.queue) else "record"


def _reply(step: Step) -> str:
    return "nil" if step.reply is None else str(step.reply)


def _change(run: Trace, change: Change) -> str:
    return f"{_short(run, change.key)}\n  before: {_holds(change.before)}\n  after: {_holds(change.after)}"


def _holds(held: Held) -> str:
    if isinstance(held, dict):
        return ", ".join(f"{field} {value}" for field, value in held.items())
    if isinstance(held, list):
        return ", ".join(f"{name} at {clock_time(score)}" for name, score in held)
    return "(no key)"
