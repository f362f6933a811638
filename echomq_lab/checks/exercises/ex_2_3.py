"""2.3 REGISTER_LUA: write @register.

KEYS[1] the registry, KEYS[2] the record; ARGV name, every_ms, template, first-run ms; answers 1 or 0.

Source: exercises, the table; seed 000, "The upsert"; wire contract, `repeat.register`.
"""

from __future__ import annotations

from random import Random

from echomq_lab.checks import lua_runs
from echomq_lab.checks.desk import Ran, Word
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test
from echomq_lab.checks.lua_runs import NAMES, TEMPLATES, LuaCase
from echomq_lab.clock import LAB_DAY_MS

SOURCE = "register"

_PERIODS_MS = (60_000, 900_000, 3_600_000, 86_400_000)


def _boot(rng: Random, name: str) -> tuple[Word, ...]:
    every_ms = rng.choice(_PERIODS_MS)
    return name, every_ms, rng.choice(TEMPLATES), LAB_DAY_MS + rng.randrange(86_400_000)


def fresh(rng: Random) -> list[LuaCase]:
    """A name that is new, beside another that is not."""
    cases = []
    for name, other in zip(rng.sample(NAMES, 3), NAMES[1:], strict=False):
        there = () if name == other else (("ZADD", lua_runs.usual(other)[0], LAB_DAY_MS, other),)
        cases.append(LuaCase("a new name", lua_runs.usual(name), (_boot(rng, name),), there))
    return cases


def strange_keys(rng: Random) -> list[LuaCase]:
    """A new name whose keys are others than the library's."""
    return [LuaCase("keys of other names", lua_runs.strange(rng), (_boot(rng, name),)) for name in rng.sample(NAMES, 2)]


def again(rng: Random) -> list[LuaCase]:
    """A second boot, later, that asks for another period and template."""
    cases = []
    for name in rng.sample(NAMES, 3):
        (_, every_ms, template, first_ms), moved = _boot(rng, name), rng.randrange(1, 10_000)
        other = rng.choice([each for each in TEMPLATES if each != template])
        boots = ((name, every_ms, template, first_ms), (name, int(every_ms) + 1_000, other, int(first_ms) + moved))
        cases.append(LuaCase("a second boot asks for another period", lua_runs.usual(name), boots))
    return cases


def half(rng: Random) -> list[LuaCase]:
    """Half states: a record without an entry, an entry without a record."""
    name, other = rng.sample(NAMES, 2)
    (registry, record), (_, lone) = lua_runs.usual(name), lua_runs.usual(other)
    return [
        LuaCase(
            "a record that has no entry in the registry",
            (registry, record),
            (_boot(rng, name),),
            (("HSET", record, "every_ms", 900_000, "template", "{}"),),
        ),
        LuaCase(
            "an entry that has no record",
            (registry, lone),
            (_boot(rng, other),),
            (("ZADD", registry, LAB_DAY_MS, other),),
        ),
    ]


def one_field(rng: Random) -> list[LuaCase]:
    """A record that lacks one of its two fields."""
    cases = []
    for name, kept in zip(rng.sample(NAMES, 2), (("template", "{}"), ("every_ms", 900_000)), strict=True):
        registry, record = lua_runs.usual(name)
        there: tuple[tuple[Word, ...], ...] = (("HSET", record, *kept), ("ZADD", registry, LAB_DAY_MS, name))
        cases.append(LuaCase(f"a record with {kept[0]} alone", (registry, record), (_boot(rng, name),), there))
    return cases


def whole_record(rng: Random) -> list[LuaCase]:
    """A second boot that asks for the same."""
    name = rng.choice(NAMES)
    boot = _boot(rng, name)
    return [LuaCase("a second boot asks for the same", lua_runs.usual(name), (boot, boot))]


def given(case: LuaCase) -> str:
    """The case in words."""
    return case.told()


def _rewritten(case: LuaCase, ran: Ran) -> bool:
    """Whether the second boot changed the record and left the score."""
    first, second = ran.acts[0].after, ran.acts[-1].after
    registry, record = case.keys
    return first.get(record) != second.get(record) and first.get(registry) == second.get(registry)


def _moved(case: LuaCase, ran: Ran) -> bool:
    """Whether the second boot moved the score."""
    return bool(ran.acts[0].after.get(case.keys[0]) != ran.acts[-1].after.get(case.keys[0]))


EXERCISE = Exercise(
    "2.3",
    "REGISTER_LUA",
    (Name("REGISTER_LUA", "Lua text", type="str"),),
    (
        Test(
            "a new name",
            3,
            "A new name must get its record, every_ms and template, and its entry, scored by its first run.",
            "Run your script once on an empty queue, and look at readout.keys(conn, queue).",
            (
                "Which two keys does a new registration need, and what goes into each?",
                "The two writes after the guard: HSET to KEYS[2] and ZADD to KEYS[1]. Does the script get there?",
                "redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3]) writes the record.",
            ),
            fresh,
            lua_runs.ask("REGISTER_LUA"),
            lua_runs.same_keys(SOURCE),
            given,
            simpler=lua_runs.simpler,
            tries=12,
            mistakes=(
                Mistake(
                    "guard after the write",
                    "The guard comes after the HSET, so it finds the record that the script has just written, and no new "
                    "name ever gets its entry.",
                    lambda case, ran: (
                        case.keys[1] in ran.acts[0].after
                        and ran.before.get(case.keys[0]) == ran.acts[0].after.get(case.keys[0])
                    ),
                ),
            ),
            on_store=True,
        ),
        Test(
            "KEYS",
            1,
            "The script touches keys that were not given in KEYS. It must take each key from there.",
            "Replace every key that the script puts together by KEYS[1] or KEYS[2].",
            (
                "How does a cluster know on which node to run a script?",
                "Look for a key made with '..', from ARGV or by hand.",
                "KEYS[1] is the registry and KEYS[2] the record, whatever they are called.",
            ),
            strange_keys,
            lua_runs.ask("REGISTER_LUA"),
            lua_runs.same_keys(SOURCE),
            given,
            tries=0,
            on_store=True,
        ),
        Test(
            "answers",
            2,
            "The answer must be 1 for a new name and 0 for one that was there.",
            "Look at what each way out of the script returns.",
            (
                "How does the caller tell `registered` from `exists`?",
                "There are two ways out of the script: the guard's, and the end.",
                "A script that ends without return answers nil; the last line must be return 1.",
            ),
            lambda rng: [*fresh(rng)[:1], *whole_record(rng)],
            lua_runs.ask("REGISTER_LUA"),
            lua_runs.same_answers(SOURCE),
            given,
            simpler=lua_runs.simpler,
            tries=12,
            mistakes=(
                Mistake(
                    "no answer",
                    "A new name is registered and the script says nothing: nil. The caller needs the 1 to answer `registered`.",
                    lambda _, ran: ran.acts[0].heard.value is None,
                ),
            ),
            on_store=True,
        ),
        Test(
            "second boot",
            3,
            "A second boot must change nothing, whatever it asks for.",
            "Run your script twice, the second time with another period, and compare the keys.",
            (
                "Which of the two wins when a boot asks for another period: what is stored, or what is asked?",
                "What does the script still do after it found the record?",
                "if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end, before any write.",
            ),
            again,
            lua_runs.ask("REGISTER_LUA"),
            lua_runs.same_keys(SOURCE),
            given,
            simpler=lua_runs.simpler,
            tries=12,
            mistakes=(
                Mistake(
                    "the record is rewritten",
                    "The score stays and the record is rewritten: a second boot's period and template win. ZADD NX guards "
                    "the entry alone.",
                    _rewritten,
                ),
                Mistake(
                    "the score is moved",
                    "A second boot moves the live score, so the run that was due is put off with each boot.",
                    _moved,
                ),
            ),
            on_store=True,
        ),
        Test(
            "the record decides",
            1,
            "The record decides whether a name is registered, and not its entry in the registry.",
            "Make each of the two half states by hand, run your script, and look at what it answers and writes.",
            (
                "Which of the two keys says that a name is registered?",
                "Look at the key in your probe: KEYS[1] or KEYS[2]?",
                "EXISTS on KEYS[2]. An entry without a record is a leftover, and is overwritten.",
            ),
            half,
            lua_runs.ask("REGISTER_LUA"),
            lua_runs.same_keys(SOURCE),
            given,
            tries=0,
            mistakes=(
                Mistake(
                    "probe on the registry",
                    "You probe the registry, as with ZSCORE. The record decides: with a record there is nothing to write, "
                    "without one the name is new.",
                    lambda _, ran: True,
                ),
            ),
            on_store=True,
        ),
        Test(
            "any record",
            1,
            "A record that is there is a record, whatever fields it has.",
            "Ask whether the key is there, not one of its fields.",
            (
                "Does the guard ask whether the record is there, or what is in it?",
                "Look at your probe: does it name a field?",
                "EXISTS asks for the key; HEXISTS and HGET ask for a field of it.",
            ),
            one_field,
            lua_runs.ask("REGISTER_LUA"),
            lua_runs.same_keys(SOURCE),
            given,
            tries=0,
            mistakes=(
                Mistake(
                    "guard on one field",
                    "Your guard asks for one field of the record. A record that lacks it is overwritten, and its owner "
                    "does not hear of it.",
                    lambda _, ran: True,
                ),
            ),
            on_store=True,
        ),
        Test(
            "the first move",
            1,
            "On a hit the script must probe first, and then write nothing, not even what is there already.",
            "Read your script from the top for a name that is there: which is the first call, and which is the last?",
            (
                "What should a second boot cost the store?",
                "Which call is the first that your script makes? Which come after the guard has found the record?",
                "The guard is the first line, and it returns.",
            ),
            whole_record,
            lua_runs.ask("REGISTER_LUA"),
            lua_runs.probes_first,
            given,
            tries=0,
            on_store=True,
        ),
    ),
    hides=("register",),
)
