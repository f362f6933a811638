"""Cases of @register, and what is asked of a script in them: for exercises 2.2, 2.3 and 2.4.

Each judgement asks for one thing, so that a script which lacks another passes it: what the keys hold, which keys are
touched, which names are new, what is answered.

Source: wire contract, `repeat.register` and "Edges"; exercises, "Store exercises".
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from echomq_lab.checks import lua_runs
from echomq_lab.checks.desk import QUEUE, Desk, Ran, Word
from echomq_lab.checks.exercise import Wrong
from echomq_lab.checks.lua_runs import NAMES, TEMPLATES, LuaCase
from echomq_lab.clock import LAB_DAY_MS
from echomq_lab.keyspace import queue_key

SOURCE = "register"
#: What a boot asks for, in ARGV's order: name, every_ms, template, first run in Unix ms.
Boot = tuple[str, int, str, int]

_PERIODS_MS = (60_000, 900_000, 3_600_000, 86_400_000)
_PLAIN: Boot = ("visits", 60_000, "{}", LAB_DAY_MS + 60_000)

same_keys = lua_runs.same_keys(SOURCE)
same_answers = lua_runs.same_answers(SOURCE)


def given(case: LuaCase) -> str:
    """The case in words."""
    return case.told()


def simplest(*cases: LuaCase) -> Callable[[LuaCase], Iterator[LuaCase]]:
    """A test's simpler cases: these, the simplest first."""

    def simpler(case: LuaCase) -> Iterator[LuaCase]:
        yield from cases[: cases.index(case)] if case in cases else cases

    return simpler


def _boot(rng: Random, name: str) -> Boot:
    return name, rng.choice(_PERIODS_MS), rng.choice(TEMPLATES), LAB_DAY_MS + rng.randrange(1, 86_400_000)


def _other(rng: Random, boot: Boot) -> Boot:
    """A later boot for the same name that asks for another period, template and first run."""
    name, every_ms, template, first_ms = boot
    other = rng.choice([each for each in TEMPLATES if each != template])
    return name, every_ms + rng.randrange(1, 100) * 1_000, other, first_ms + rng.randrange(1, 10_000)


def _registered(keys: tuple[str, str], boot: Boot) -> tuple[tuple[Word, ...], ...]:
    name, every_ms, template, first_ms = boot
    return ("HSET", keys[1], "every_ms", every_ms, "template", template), ("ZADD", keys[0], first_ms, name)


def _known(says: str, there: Boot, asked: Boot) -> LuaCase:
    keys = lua_runs.usual(there[0])
    return LuaCase(says, keys, (asked,), _registered(keys, there))


def _fresh(boot: Boot) -> LuaCase:
    return LuaCase("a new name", lua_runs.usual(boot[0]), (boot,))


def fresh(rng: Random) -> list[LuaCase]:
    """A name that is new: alone, and beside another."""
    alone, new, other = rng.sample(NAMES, 3)
    there = _registered(lua_runs.usual(other), _boot(rng, other))
    return [_fresh(_boot(rng, alone)), replace(_fresh(_boot(rng, new)), given=there)]


PLAIN_FRESH = _fresh(_PLAIN)


def elsewhere(rng: Random) -> list[LuaCase]:
    """A new name and a known one whose keys are others than the library's."""
    one, two = (_boot(rng, name) for name in rng.sample(NAMES, 2))
    return [_elsewhere(one, lua_runs.strange(rng), known=False), _elsewhere(two, lua_runs.strange(rng), known=True)]


def _elsewhere(boot: Boot, keys: tuple[str, str], *, known: bool) -> LuaCase:
    says = f"keys of other names, a name that is {'there' if known else 'new'}"
    return LuaCase(says, keys, (boot,), _registered(keys, boot) if known else ())


def another(rng: Random) -> list[LuaCase]:
    """Second boots, later, that ask for another period and template; and a first one, see `leaves`."""
    boots = [_boot(rng, name) for name in rng.sample(NAMES, 2)]
    return [
        *(_known("a second boot asks for another period", boot, _other(rng, boot)) for boot in boots),
        PLAIN_FRESH,
    ]


def same(rng: Random) -> list[LuaCase]:
    """A second boot that asks for the same; and a first one."""
    boot = _boot(rng, rng.choice(NAMES))
    return [_known("a second boot asks for the same", boot, boot), PLAIN_FRESH]


_NAME, _EVERY_MS, _TEMPLATE, _FIRST_MS = _PLAIN
PLAIN_SAME = _known("a second boot asks for the same", _PLAIN, _PLAIN)
PLAIN_ELSEWHERE = tuple(
    _elsewhere(_PLAIN, (queue_key(QUEUE, "a1"), queue_key(QUEUE, "b2")), known=known) for known in (False, True)
)
#: One thing asked anew, and then everything.
PLAIN_ANOTHER = (
    _known("a second boot asks for another period", _PLAIN, (_NAME, 900_000, _TEMPLATE, _FIRST_MS)),
    _known("a second boot, a minute later", _PLAIN, (_NAME, _EVERY_MS, _TEMPLATE, _FIRST_MS + 60_000)),
    _known("a second boot asks for another template", _PLAIN, (_NAME, _EVERY_MS, "plain text", _FIRST_MS)),
    _known("a second boot asks for all anew", _PLAIN, (_NAME, 900_000, "plain text", _FIRST_MS + 60_000)),
)


def _lone(boot: Boot, asked: Boot, what: str) -> LuaCase:
    """A half state: of record and entry one alone is there."""
    keys = lua_runs.usual(boot[0])
    record, entry = _registered(keys, boot)
    if what == "record":
        return LuaCase("a record that has no entry in the registry", keys, (asked,), (record,))
    return LuaCase("an entry that has no record", keys, (asked,), (entry,))


def lone_record(rng: Random) -> LuaCase:
    """A record without an entry."""
    boot = _boot(rng, rng.choice(NAMES))
    return _lone(boot, boot, "record")


def lone_entry(rng: Random) -> LuaCase:
    """An entry without a record."""
    boot = _boot(rng, rng.choice(NAMES))
    return _lone(boot, _other(rng, boot), "entry")


PLAIN_LONE = (_lone(_PLAIN, _PLAIN, "record"), _lone(_PLAIN, (*_PLAIN[:3], _FIRST_MS + 60_000), "entry"))


def _lacking(boot: Boot, kept: str) -> LuaCase:
    keys, (name, every_ms, template, first_ms) = lua_runs.usual(boot[0]), boot
    value: Word = template if kept == "template" else every_ms
    there: tuple[tuple[Word, ...], ...] = (("HSET", keys[1], kept, value), ("ZADD", keys[0], first_ms, name))
    return LuaCase(f"a record with {kept} alone", keys, (boot,), there)


def one_field(rng: Random) -> list[LuaCase]:
    """Records that lack one of the two fields; and a first boot, see `leaves`."""
    kinds = zip(rng.sample(NAMES, 2), ("template", "every_ms"), strict=True)
    return [*(_lacking(_boot(rng, name), kept) for name, kept in kinds), PLAIN_FRESH]


PLAIN_ONE_FIELD = (_lacking(_PLAIN, "template"), _lacking(_PLAIN, "every_ms"))


def ask_bare_too(name: str) -> Callable[[Desk, LuaCase], Ran]:
    """Runs the script of this name for `decides`: see `bare_too`."""
    run = lua_runs.ask(name)
    return lambda desk, case: bare_too(lambda each: run(desk, each), case)


def bare_too(run: Callable[[LuaCase], Ran], case: LuaCase) -> Ran:
    """A case's run, and after its act, where the name is new, that of the same case on an empty queue."""
    ran = run(case)
    return Ran(ran.before, ran.acts + run(replace(case, given=())).acts) if _new(case) else ran


def _new(case: LuaCase) -> bool:
    """Whether the library's script takes the name for new."""
    ran = lua_runs.expected(SOURCE, case)
    return ran.acts[0].after != ran.before


def decides(case: LuaCase, ran: Ran) -> Wrong | None:
    """Asks whether a name is taken for known, and nothing changes, or for new, as if nothing were there.

    Which of the two the library's script says. What a new name gets is not asked here.
    """
    right = ran.acts[1].after if _new(case) else ran.before
    if ran.acts[0].after == right:
        return None
    came, wanted = lua_runs.differ(ran.acts[0].after, right)
    return Wrong(case.told(), came, wanted)


def leaves(case: LuaCase, ran: Ran) -> Wrong | None:
    """Asks that no run changes anything but the first of a new name.

    That one has to write something, whatever it is: a script that does nothing leaves nothing alone.
    """
    states = [ran.before, *(act.after for act in ran.acts)]
    if _new(case):
        if states[1] == states[0]:
            return Wrong(case.told(), "nothing is written", "a new name is written")
        states = states[1:]
    for before, after in itertools.pairwise(states):
        if after != before:
            return Wrong(case.told(), *lua_runs.differ(after, before))
    return None


def probes_record(case: LuaCase, ran: Ran) -> bool:
    """Whether the first run reads the record's key."""
    return any(lua_runs.only_reads(call) and case.keys[1] in call for call in ran.acts[0].calls)


def in_keys(case: LuaCase, ran: Ran) -> Wrong | None:
    """Asks that keys are touched, and that each of them is one of KEYS."""
    calls = [call for act in ran.acts for call in act.calls]
    strays = [call for call in calls if len(call) > 1 and not set(call[1:3]) & set(case.keys)]
    if calls and not strays:
        return None
    came = "; ".join(map(lua_runs.words, strays)) or "no command at all"
    return Wrong(case.told(), came, f"no other keys than {' and '.join(case.keys)}")


def only_reads(case: LuaCase, ran: Ran) -> Wrong | None:
    """Asks of a hit that something is read, and no command sent that may write; of a new name that one is."""
    calls = ran.acts[-1].calls
    reads = all(map(lua_runs.only_reads, calls))
    came = "; ".join(map(lua_runs.words, calls)) or "no command at all"
    if _new(case):
        return Wrong(case.told(), came, "a new name is written") if reads else None
    if calls and reads:
        return None
    return Wrong(case.told(), came, f"EXISTS {case.keys[1]}, or another probe, and no command that writes")
