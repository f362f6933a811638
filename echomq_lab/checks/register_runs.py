"""Cases of @register, and what is asked of a script in them: for exercises 2.2, 2.3 and 2.4.

Each judgement asks for one thing, so that a script which lacks another passes it: what the keys hold, which keys are
touched, which names are new, what is answered.

Source: wire contract, `repeat.register` and "Edges"; exercises, "Store exercises".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from echomq_lab.checks import lua_runs
from echomq_lab.checks.desk import Desk, Ran, Word
from echomq_lab.checks.exercise import Wrong
from echomq_lab.checks.lua_runs import NAMES, READS, TEMPLATES, LuaCase
from echomq_lab.clock import LAB_DAY_MS

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


def _known(says: str, there: Boot, asked: Boot, keys: tuple[str, str] | None = None) -> LuaCase:
    keys = keys or lua_runs.usual(there[0])
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
    known = _known("keys of other names, a name that is there", two, two, lua_runs.strange(rng))
    return [LuaCase("keys of other names, a new name", lua_runs.strange(rng), (one,)), known]


def another(rng: Random) -> list[LuaCase]:
    """A second boot, later, that asks for another period and template."""
    boots = [_boot(rng, name) for name in rng.sample(NAMES, 2)]
    return [_known("a second boot asks for another period", boot, _other(rng, boot)) for boot in boots]


def same(rng: Random) -> list[LuaCase]:
    """A second boot that asks for the same."""
    boot = _boot(rng, rng.choice(NAMES))
    return [_known("a second boot asks for the same", boot, boot)]


_NAME, _EVERY_MS, _TEMPLATE, _FIRST_MS = _PLAIN
PLAIN_SAME = _known("a second boot asks for the same", _PLAIN, _PLAIN)
#: One thing asked anew, and then everything.
PLAIN_ANOTHER = (
    _known("a second boot asks for another period", _PLAIN, (_NAME, 900_000, _TEMPLATE, _FIRST_MS)),
    _known("a second boot, a minute later", _PLAIN, (_NAME, _EVERY_MS, _TEMPLATE, _FIRST_MS + 60_000)),
    _known("a second boot asks for another template", _PLAIN, (_NAME, _EVERY_MS, "plain text", _FIRST_MS)),
    _known("a second boot asks for all anew", _PLAIN, (_NAME, 900_000, "plain text", _FIRST_MS + 60_000)),
)


def lone_record(rng: Random) -> LuaCase:
    """A record without an entry."""
    boot = _boot(rng, rng.choice(NAMES))
    keys = lua_runs.usual(boot[0])
    says = "a record that has no entry in the registry"
    return LuaCase(says, keys, (boot,), _registered(keys, boot)[:1])


def lone_entry(rng: Random) -> LuaCase:
    """An entry without a record."""
    boot = _boot(rng, rng.choice(NAMES))
    keys = lua_runs.usual(boot[0])
    return LuaCase("an entry that has no record", keys, (_other(rng, boot),), _registered(keys, boot)[1:])


def one_field(rng: Random) -> list[LuaCase]:
    """A record that lacks one of its two fields."""
    cases = []
    for name, kept in zip(rng.sample(NAMES, 2), ("template", "every_ms"), strict=True):
        keys, (_, every_ms, template, first_ms) = lua_runs.usual(name), (boot := _boot(rng, name))
        value: Word = template if kept == "template" else every_ms
        there: tuple[tuple[Word, ...], ...] = (("HSET", keys[1], kept, value), ("ZADD", keys[0], first_ms, name))
        cases.append(LuaCase(f"a record with {kept} alone", keys, (boot,), there))
    return cases


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


def unchanged(case: LuaCase, ran: Ran) -> Wrong | None:
    """Asks that the last run changes nothing; what those before it did is not asked."""
    before = ran.acts[-2].after if len(ran.acts) > 1 else ran.before
    if ran.acts[-1].after == before:
        return None
    came, wanted = lua_runs.differ(ran.acts[-1].after, before)
    return Wrong(case.told(), came, wanted)


def probes_record(case: LuaCase, ran: Ran) -> bool:
    """Whether the first run reads the record's key."""
    return any(call[0].upper() in READS and case.keys[1] in call for call in ran.acts[0].calls)


def in_keys(case: LuaCase, ran: Ran) -> Wrong | None:
    """Asks that every key that is touched is one of KEYS."""
    calls = [call for act in ran.acts for call in act.calls]
    strays = [call for call in calls if len(call) > 1 and not set(call[1:3]) & set(case.keys)]
    if not strays:
        return None
    return Wrong(case.told(), "; ".join(map(lua_runs.words, strays)), f"no other keys than {' and '.join(case.keys)}")


def only_reads(case: LuaCase, ran: Ran) -> Wrong | None:
    """Asks of a hit that something is read, and that no command is sent that could write."""
    calls = ran.acts[-1].calls
    if calls and all(call[0].upper() in READS for call in calls):
        return None
    came = "; ".join(map(lua_runs.words, calls)) or "no command at all"
    return Wrong(case.told(), came, f"EXISTS {case.keys[1]}, or another probe, and no command that writes")
