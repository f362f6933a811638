"""Lua answers on a store: one script, a few acts, and what of them is compared with what the library's own script does.

Source: exercises, "Store exercises": replies, and the whole keyspace before and after; of the commands called only that
the probe comes first, that nothing is written after a hit, and that no key is given an end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from typing import Any

from echomq_lab import scripts
from echomq_lab.checks.desk import QUEUE, Desk, Ran, Word, script, told
from echomq_lab.checks.exercise import Mistake, Wrong
from echomq_lab.checks.pupil import Here
from echomq_lab.clock import LAB_DAY_MS
from echomq_lab.keyspace import queue_key, record_key, registry_key
from echomq_lab.readout import holds

NAMES = ("daily-report", "clean-up", "visits", "stock:nightly", "été")
TEMPLATES = ('{"report": 7}', "{}", "plain text", '{"shelf": 1, "day": "Mon"}')
#: The verbs that may write, as Valkey's COMMAND INFO flags them; and those that run a script, which may do anything.
WRITES = frozenset(
    """
    APPEND BITFIELD BITOP BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN COPY DECR DECRBY DEL DELIFEQ
    EXPIRE EXPIREAT FLUSHALL FLUSHDB GEOADD GEORADIUS GEORADIUSBYMEMBER GEOSEARCHSTORE GETDEL GETEX GETSET HDEL
    HEXPIRE HEXPIREAT HGETDEL HGETEX HINCRBY HINCRBYFLOAT HMSET HPERSIST HPEXPIRE HPEXPIREAT HSET HSETEX HSETNX INCR
    INCRBY INCRBYFLOAT LINSERT LMOVE LMPOP LPOP LPUSH LPUSHX LREM LSET LTRIM MIGRATE MOVE MSET MSETEX MSETNX PERSIST
    PEXPIRE PEXPIREAT PFADD PFDEBUG PFMERGE PSETEX RENAME RENAMENX RESTORE RPOP RPOPLPUSH RPUSH RPUSHX SADD
    SDIFFSTORE SET SETBIT SETEX SETNX SETRANGE SINTERSTORE SMOVE SORT SPOP SREM SUNIONSTORE SWAPDB UNLINK XACK XADD
    XAUTOCLAIM XCLAIM XDEL XGROUP XREADGROUP XSETID XTRIM ZADD ZDIFFSTORE ZINCRBY ZINTERSTORE ZMPOP ZPOPMAX ZPOPMIN
    ZRANGESTORE ZREM ZREMRANGEBYLEX ZREMRANGEBYRANK ZREMRANGEBYSCORE ZUNIONSTORE
    """.split()
)
SCRIPTS = frozenset({"EVAL", "EVALSHA", "FCALL"})
#: The verbs by which a key, or a field of it, goes away by itself: what it holds does not tell.
_EXPIRES = frozenset({"EXPIRE", "EXPIREAT", "PEXPIRE", "PEXPIREAT", "HEXPIRE", "HEXPIREAT", "HPEXPIRE", "HPEXPIREAT"})
_EXPIRES |= {"HSETEX", "HGETEX", "RESTORE"}


@dataclass(frozen=True, slots=True)
class LuaCase:
    """What stands in the store, and with which KEYS and ARGV the script is run, once or more.

    `says` tells what the case is about; `given` are commands; `keys` the two KEYS; `runs` an ARGV list each.
    """

    says: str
    keys: tuple[str, str]
    runs: tuple[tuple[Word, ...], ...]
    given: tuple[tuple[Word, ...], ...] = field(default=())

    def told(self) -> str:
        """The case in words, a line each."""
        lines = [self.says, *(f"there: {words(each)}" for each in self.given)]
        lines.append(f"KEYS: {', '.join(self.keys)}")
        return "\n".join([*lines, *(f"ARGV: {', '.join(map(str, run))}" for run in self.runs)])


def usual(name: str) -> tuple[str, str]:
    """The keys that the library uses for a registration."""
    return registry_key(QUEUE), record_key(QUEUE, name)


def strange(rng: Random) -> tuple[str, str]:
    """Two keys of the queue of which neither follows from the other, nor from a name."""
    numbers = rng.sample(range(100, 1_000), 2)
    return queue_key(QUEUE, f"a{numbers[0]}"), queue_key(QUEUE, f"b{numbers[1]}")


def ask(name: str) -> Callable[[Desk, LuaCase], Ran]:
    """Runs the script of this name as a case says."""

    def run(desk: Desk, case: LuaCase) -> Ran:
        return desk.run(case.given, [script(name, case.keys, argv) for argv in case.runs], now_ms=LAB_DAY_MS)

    return run


@cache
def expected(source: str, case: LuaCase) -> Ran:
    """What the library's script of this name does in a case."""
    return here(scripts.source(source), case)


def here(text: str, case: LuaCase) -> Ran:
    """What a script of the library's own does in a case, run in this process: never for a text of a student's."""
    names, desk = _here()
    names["TEXT"] = text
    return ask("TEXT")(desk, case)


@cache
def _here() -> tuple[dict[str, Any], Desk]:
    names: dict[str, Any] = {}
    return names, Desk(Here(names))


def same_keys(source: str) -> Callable[[LuaCase, Ran], Wrong | None]:
    """Compares what the keys hold after each run; the answers aside."""

    def judge(case: LuaCase, ran: Ran) -> Wrong | None:
        for number, (act, right) in enumerate(zip(ran.acts, expected(source, case).acts, strict=True), 1):
            if act.after != right.after:
                which = f"after run {number}: " if len(ran.acts) > 1 else ""
                came, wanted = differ(act.after, right.after)
                return Wrong(case.told(), which + came, which + wanted)
        return None

    return judge


def only_reads(call: tuple[str, ...]) -> bool:
    """Whether a call cannot write."""
    return call[0].upper() not in WRITES | SCRIPTS


def expires(case: LuaCase, ran: Ran) -> Wrong | None:
    """Asks that no key is given an end."""
    calls = [call for act in ran.acts for call in act.calls if call[0].upper() in _EXPIRES]
    return Wrong(case.told(), "; ".join(map(words, calls)), "keys that stay until they are removed") if calls else None


#: What to say of a key that is given an end.
EXPIRING: Mistake[LuaCase, Ran] = Mistake(
    "expires",
    "The script gives a key an end, after which it goes away by itself. A registration stays until it is cancelled.",
    lambda case, ran: expires(case, ran) is not None,
)


def same_answers(source: str) -> Callable[[LuaCase, Ran], Wrong | None]:
    """Compares what each run answers; the keys aside."""

    def judge(case: LuaCase, ran: Ran) -> Wrong | None:
        came = [_answer(act.heard.value) for act in ran.acts]
        wanted = [_answer(act.heard.value) for act in expected(source, case).acts]
        return (
            None if came == wanted else Wrong(case.told(), f"answers {', '.join(came)}", f"answers {', '.join(wanted)}")
        )

    return judge


def simpler(case: LuaCase) -> Iterator[LuaCase]:
    """The case with fewer runs, with what is there less by one, with the shortest name and texts."""
    if len(case.runs) > 1:
        yield replace(case, runs=case.runs[:-1])
        yield replace(case, runs=case.runs[1:])
    for number in range(len(case.given)):
        yield replace(case, given=case.given[:number] + case.given[number + 1 :])


def differ(came: Mapping[str, Any], wanted: Mapping[str, Any]) -> tuple[str, str]:
    """The keys in which two keyspaces differ, and what each holds there."""
    keys = [key for key in sorted({*came, *wanted}) if came.get(key) != wanted.get(key)]
    tell = [[f"{key} holds {holds(held.get(key))}" for key in keys] for held in (came, wanted)]
    return "\n".join(tell[0]), "\n".join(tell[1])


def _answer(value: Any) -> str:
    return "nil" if value is None else told(value)


def words(command: tuple[Word, ...]) -> str:
    """A command as it is told: its words, spaces between."""
    return " ".join(map(str, command))
