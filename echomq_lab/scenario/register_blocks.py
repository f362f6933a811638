"""@register cut into blocks, and what the store executes when a reader puts them in an order.

    assemble(["A", "C"])                     the script of an order of blocks
    try_order(conn, queue, ["A", "C"])       two boots by that script, a minute apart, as a trace
    boot_by(conn, queue, script, periods)    the same by any script, a boot for each period

Every order runs: what it leaves in the registry and in the record is the reader's to judge.

Source: seed 000, "The upsert"; exercises, 2.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from echomq_lab import arguments, trace
from echomq_lab.errors import ArgumentError
from echomq_lab.keyspace import record_key, registry_key
from echomq_lab.scenario.cadence import fixed_clock
from echomq_lab.scenario.fresh import fresh_queue
from echomq_lab.store import Connection

#: Letter -> Lua. KEYS[1] registry, KEYS[2] record; ARGV name, every_ms, template, first-run ms. Not all are needed.
BLOCKS: dict[str, str] = {
    "A": "redis.call('ZADD', KEYS[1], tonumber(ARGV[4]), ARGV[1])",
    "B": "if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end",
    "C": "return 1",
    "D": "redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])",
    "E": "if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end",
}
#: The registration that both boots ask for, its template, and its period in ms as each of them asks for it.
NAME, TEMPLATE, PERIODS_MS = "daily-report", "{}", (900_000, 3_600_000)
_MINUTE_MS = 60_000


def assemble(order: Sequence[str]) -> str:
    """The text of the script that runs the blocks in this order, one to a line; of no block, the empty script.

    Raises an `ArgumentError` for an order that is no list or tuple, for a letter that names no block or comes twice.
    """
    arguments.instance("order", order, (list, tuple), "a list of letters", "try ['A', 'C']")
    letters = [arguments.text(f"order[{place}]", letter, "a letter") for place, letter in enumerate(order)]
    for place, letter in enumerate(letters):
        if letter not in BLOCKS:
            raise ArgumentError(f"order[{place}]", letter, f"one of {', '.join(map(repr, BLOCKS))}")
        if letter in letters[:place]:
            raise ArgumentError(f"order[{place}]", letter, "a block that is not there yet", "each is there once")
    return "\n".join(_line(letter, last=letter == letters[-1]) for letter in letters)


def try_order(conn: Connection, queue: str, order: Sequence[str]) -> trace.Trace:
    """Boot twice by the script of an order, and answer what the store executed: two steps, one for each boot.

    The boots ask for the same name on a fresh queue (`fresh_queue`: the trace names it), the second one a minute later
    and for another period; a first run is a period after its boot. The connection's clock is left at the second boot.
    Raises an `ArgumentError`, before anything is sent, for what `assemble` refuses and without a `FixedClock`.
    """
    return boot_by(conn, queue, assemble(order), PERIODS_MS)


def boot_by(conn: Connection, queue: str, script: str, periods_ms: Sequence[int]) -> trace.Trace:
    """Boot by the text of a register script, a minute apart, once for each period in ms; answer what was executed.

    As in `try_order`: one name, a fresh queue, the first run a period after its boot. Raises an `ArgumentError` before
    anything is sent for a script that is no text, for what is no period, and without a `FixedClock`; a `ReplyError` for
    a script that the store refuses.
    """
    script = arguments.text("script", script, "the text of a script")
    arguments.instance("periods_ms", periods_ms, (list, tuple), "a list of periods", "try [900_000, 3_600_000]")
    periods = [arguments.period_ms(f"periods_ms[{place}]", each) for place, each in enumerate(periods_ms)]
    clock = fixed_clock(conn)
    queue = fresh_queue(conn, queue)
    keys = (registry_key(queue), record_key(queue, NAME))
    with trace.record(conn, queue) as run:
        for every_ms in periods:
            if run.steps:
                clock.advance(_MINUTE_MS)
            conn.send("EVAL", script, len(keys), *keys, NAME, every_ms, TEMPLATE, conn.now_ms() + every_ms)
    return run


def _line(letter: str, *, last: bool) -> str:
    # In Lua nothing may stand after a `return` in its block: where something does, the return gets a block of its own.
    line = BLOCKS[letter]
    return f"do {line} end" if line.startswith("return") and not last else line
