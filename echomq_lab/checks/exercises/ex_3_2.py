"""3.2 ADVANCE_LUA: write @advance.

KEYS[1] the registry, KEYS[2] the record; ARGV name, next-run ms; answers 1, or 0 after sweeping a dangling member.

Source: exercises, the table; wire contract, `repeat.advance`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from echomq_lab.checks import lua_runs
from echomq_lab.checks.desk import Ran, Word
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.checks.lua_runs import EXPIRING, NAMES, TEMPLATES, LuaCase
from echomq_lab.clock import LAB_DAY_MS
from echomq_lab.readout import holds

SOURCE = "advance"

_PERIODS_MS = (60_000, 900_000, 3_600_000, 86_400_000)
_OTHER = "zebra"
_POOR = "a record with one field alone"
#: The commands that set up an entry, its record, and another entry.
_LIVE_BESIDE = 3
#: Makes a case of a name, its old score, the next run, and a template.
Made = Callable[[str, int, int, str], LuaCase]


def _entry(name: str, at_ms: int) -> tuple[Word, ...]:
    return "ZADD", lua_runs.usual(name)[0], at_ms, name


def _record(name: str, template: str) -> tuple[Word, ...]:
    return "HSET", lua_runs.usual(name)[1], "every_ms", 900_000, "template", template


def live(name: str, old_ms: int, next_ms: int, template: str) -> LuaCase:
    """An entry with its record."""
    there = (_entry(name, old_ms), _record(name, template))
    return LuaCase("an entry that is due, and its record", lua_runs.usual(name), ((name, next_ms),), there)


def dangling(name: str, old_ms: int, next_ms: int, _: str) -> LuaCase:
    """An entry whose record is gone."""
    return LuaCase("an entry whose record is gone", lua_runs.usual(name), ((name, next_ms),), (_entry(name, old_ms),))


def cancelled(name: str, _: int, next_ms: int, __: str) -> LuaCase:
    """Neither entry nor record."""
    return LuaCase("a name that was cancelled: no entry, no record", lua_runs.usual(name), ((name, next_ms),))


def lone(name: str, _: int, next_ms: int, template: str) -> LuaCase:
    """A record that has no entry."""
    there = (_record(name, template),)
    return LuaCase("a record that has no entry", lua_runs.usual(name), ((name, next_ms),), there)


def poor(name: str, old_ms: int, next_ms: int, template: str) -> LuaCase:
    """An entry with a record that lacks a field."""
    there = (_entry(name, old_ms), ("HSET", lua_runs.usual(name)[1], "template", template))
    return LuaCase(_POOR, lua_runs.usual(name), ((name, next_ms),), there)


def beside(made: Made) -> Made:
    """The same with another entry in the registry."""

    def made_beside(name: str, old_ms: int, next_ms: int, template: str) -> LuaCase:
        case = made(name, old_ms, next_ms, template)
        there = (*case.given, _entry(_OTHER, old_ms + 1))
        return LuaCase(f"{case.says}, beside another entry", case.keys, case.runs, there)

    return made_beside


def cases(*makers: Made) -> Callable[[Random], Sequence[LuaCase]]:
    """Two cases of each kind."""

    def drawn(rng: Random) -> list[LuaCase]:
        found = []
        for made in makers:
            for name in rng.sample(NAMES, 2):
                old_ms = LAB_DAY_MS + rng.randrange(86_400_000)
                next_ms = old_ms + rng.randrange(5_000) + rng.choice(_PERIODS_MS)
                found.append(made(name, old_ms, next_ms, rng.choice(TEMPLATES)))
        return found

    return drawn


def strange_keys(rng: Random) -> list[LuaCase]:
    """An entry with its record under keys of other names than the library's."""
    registry, record = lua_runs.strange(rng)
    there: tuple[tuple[Word, ...], ...] = (
        ("ZADD", registry, LAB_DAY_MS, "visits"),
        ("HSET", record, "every_ms", 900_000, "template", "{}"),
    )
    return [LuaCase("keys of other names", (registry, record), (("visits", LAB_DAY_MS + 900_000),), there)]


def simpler(*makers: Made) -> Callable[[LuaCase], Iterator[LuaCase]]:
    """The plainest case of the first kinds."""

    def plainer(case: LuaCase) -> Iterator[LuaCase]:
        for made in makers:
            plainest = made("visits", LAB_DAY_MS, LAB_DAY_MS + 60_000, "{}")
            if plainest == case:
                return
            yield plainest

    return plainer


def _same_entry(case: LuaCase, ran: Ran) -> Wrong | None:
    """Compares what the registry holds; the record aside."""
    return _same_key(0, case, ran)


def _has_entry(case: LuaCase, ran: Ran) -> Wrong | None:
    """Asks that the name has an entry, and another score than before; which one is asked apart."""
    if _now(case, ran) not in (None, _old(case)):
        return None
    return _same_entry(case, ran)


def _same_record(case: LuaCase, ran: Ran) -> Wrong | None:
    """Compares what the record holds, where the entry was moved, and asks that both stay."""
    return _idle(case, ran) or _same_key(1, case, ran) or lua_runs.expires(case, ran)


def _same_key(which: int, case: LuaCase, ran: Ran) -> Wrong | None:
    key = case.keys[which]
    came, right = (each.acts[-1].after.get(key) for each in (ran, lua_runs.expected(SOURCE, case)))
    return None if came == right else Wrong(case.told(), f"{key} holds {holds(came)}", f"{key} holds {holds(right)}")


def _idle(case: LuaCase, ran: Ran) -> Wrong | None:
    """A script that leaves the registry as it was has spared nothing."""
    registry = case.keys[0]
    before, after = ran.before.get(registry), ran.acts[-1].after.get(registry)
    return None if before != after else Wrong(case.told(), "the registry as it was", "the entry at its next run")


def _keys_given(case: LuaCase, ran: Ran) -> Wrong | None:
    """Asks that calls are made on the registry, and on no other key than the two."""
    called = {call[1] for call in ran.acts[-1].calls if len(call) > 1 and call[0].upper() not in lua_runs.SCRIPTS}
    if case.keys[0] in called <= set(case.keys):
        return None
    return Wrong(
        case.told(), f"calls on {', '.join(sorted(called)) or 'no key'}", "calls on KEYS[1], KEYS[2] and no other key"
    )


def _same_other(case: LuaCase, ran: Ran) -> Wrong | None:
    """Compares the other entry of the registry."""
    came, right = (_score(_OTHER, case, each) for each in (ran, lua_runs.expected(SOURCE, case)))
    told = [f"{case.keys[0]} holds {_OTHER} = {score}" if score else f"no {_OTHER} there" for score in (came, right)]
    if came != right:
        return Wrong(case.told(), told[0], told[1])
    return _idle(case, ran) if len(case.given) == _LIVE_BESIDE else None


def given(case: LuaCase) -> str:
    """The case in words."""
    return case.told()


def _score(name: Word, case: LuaCase, ran: Ran) -> object:
    """What the registry holds for a name at the end, if it is there."""
    held = ran.acts[-1].after.get(case.keys[0])
    return next((each[1] for each in held if each[0] == name), None) if type(held) is list else None


def _now(case: LuaCase, ran: Ran) -> object:
    return _score(case.runs[0][0], case, ran)


def _old(case: LuaCase) -> object:
    return next((each[2] for each in case.given if each[0] == "ZADD"), 0)


def _from_score(case: LuaCase, ran: Ran) -> bool:
    """Whether the new score was added to the old one."""
    return bool(_now(case, ran) == int(str(_old(case))) + int(str(case.runs[0][1])))


def _answered(*values: object) -> Callable[[LuaCase, Ran], bool]:
    return lambda _, ran: ran.acts[-1].heard.value in values


EXERCISE = Exercise(
    "3.2",
    "ADVANCE_LUA",
    (Name("ADVANCE_LUA", "Lua text", type="str"),),
    (
        Test(
            "the next run",
            2,
            "The entry of the name must get the next run as its score.",
            "Run your script on an entry that is due, and look at readout.registry(conn, queue).",
            (
                "What is the score of an entry, and who works out the next one: the script, or its caller?",
                "Look at the last write of your script: which key, which score, which member?",
                "redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1]) writes the score of a member anew.",
            ),
            cases(live),
            lua_runs.ask("ADVANCE_LUA"),
            _same_entry,
            given,
            simpler=simpler(live),
            tries=4,
            mistakes=(
                Mistake(
                    "added to the old score",
                    "You add to the old score. ARGV[2] is the next run itself, which the caller counts from the "
                    "release; the old score is never read.",
                    _from_score,
                ),
                Mistake(
                    "the entry is gone",
                    "The entry is gone from the registry, so this registration never runs again. An advance rewrites "
                    "it.",
                    lambda case, ran: _now(case, ran) is None,
                ),
                Mistake(
                    "the old score kept",
                    "The entry keeps its old score, so it is still due and the next tick releases it once more.",
                    lambda case, ran: _now(case, ran) == _old(case),
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
            lua_runs.ask("ADVANCE_LUA"),
            _keys_given,
            given,
            tries=0,
            on_store=True,
        ),
        Test(
            "the record stays",
            1,
            "An advance must leave the record as it is.",
            "Run your script twice on one name, and look at readout.keys(conn, queue) after each.",
            (
                "What will the next sweep read when the name is due again?",
                "Look for what your script does to KEYS[2] beside looking whether it is there.",
                "The record is the registration. EXISTS looks at it, and nothing here writes to it.",
            ),
            cases(live),
            lua_runs.ask("ADVANCE_LUA"),
            _same_record,
            given,
            simpler=simpler(live),
            tries=4,
            mistakes=(
                Mistake(
                    "the record is deleted",
                    "The record is deleted. The sweep that comes next would find a name without a record, and take it "
                    "for a cancelled one.",
                    lambda case, ran: ran.acts[-1].after.get(case.keys[1]) is None,
                ),
                EXPIRING,
            ),
            on_store=True,
        ),
        Test(
            "dangling",
            2,
            "An entry whose record is gone must be removed from the registry.",
            "Delete a record by hand with DEL, run your script, and look at the registry.",
            (
                "Somebody cancelled the name while the sweep was at work. What should be left of it?",
                "Does your script look for the record before it writes a score?",
                "if redis.call('EXISTS', KEYS[2]) == 0 then: what is to be removed here, and what returned?",
            ),
            cases(dangling),
            lua_runs.ask("ADVANCE_LUA"),
            _same_entry,
            given,
            simpler=simpler(dangling),
            tries=4,
            mistakes=(
                Mistake(
                    "the dangling entry is moved on",
                    "An entry without a record gets a next run, as ZADD gives it to any member, XX or not. It would "
                    "come due and never make a job.",
                    lambda case, ran: _now(case, ran) == case.runs[0][1],
                ),
                Mistake(
                    "the dangling entry is kept",
                    "An entry without a record is left as it is, so it is due at every tick from now on. Remove it.",
                    lambda case, ran: _now(case, ran) == _old(case),
                ),
            ),
            on_store=True,
        ),
        Test(
            "cancelled",
            1,
            "A name that has neither entry nor record was cancelled, and nothing of it may come back.",
            "Cancel a name, run your script for it, and look at the keys.",
            (
                "A sweep read the name, then somebody cancelled it, and now the advance comes. What should it find?",
                "Follow your script for a name that is nowhere: does it reach a write?",
                "The record alone decides: without one there is no ZADD, whether ZREM found a member or not.",
            ),
            cases(cancelled),
            lua_runs.ask("ADVANCE_LUA"),
            lua_runs.same_keys(SOURCE),
            given,
            simpler=simpler(cancelled),
            tries=4,
            mistakes=(
                Mistake(
                    "a cancelled name comes back",
                    "A cancelled name is back in the registry. Without a record there must be no ZADD, whether or not "
                    "there was a member to remove.",
                    lambda case, ran: _now(case, ran) is not None,
                ),
            ),
            on_store=True,
        ),
        Test(
            "the record decides",
            1,
            "The record decides: where there is one, whatever is in it, the name gets its next run, entry or no entry.",
            "Remove an entry by hand with ZREM, run your script, and look at the registry.",
            (
                "Which of the two keys says that a name is registered?",
                "Does your script write the score only where there is one already, or ask for a field?",
                "EXISTS asks for the record, whatever its fields; ZADD without XX writes a score in any case.",
            ),
            cases(lone, poor),
            lua_runs.ask("ADVANCE_LUA"),
            _has_entry,
            given,
            simpler=simpler(lone, poor),
            tries=4,
            mistakes=(
                Mistake(
                    "a field asked for",
                    "Your script asks for a field of the record, and takes a record that lacks it for none. Ask "
                    "whether the key is there.",
                    lambda case, _: case.says == _POOR,
                ),
            ),
            on_store=True,
        ),
        Test(
            "other entries",
            1,
            "The other entries of the registry must stay as they are.",
            "Register two names, run your script for one of them, and look at the registry.",
            (
                "How many registrations share the key KEYS[1]?",
                "Look for a command that removes a whole key, or a range of it.",
                "ZREM removes one member of a sorted set; DEL removes the set.",
            ),
            cases(beside(live), beside(dangling)),
            lua_runs.ask("ADVANCE_LUA"),
            _same_other,
            given,
            simpler=simpler(beside(live), beside(dangling)),
            tries=4,
            on_store=True,
        ),
        Test(
            "answers",
            1,
            "The answer must be 1 for an entry that was moved on, and 0 where there is no record.",
            "Look at what each way out of the script returns.",
            (
                "How does the caller tell `advanced` from `absent`?",
                "There are two ways out of the script. What does each return?",
                "ZADD and ZREM answer how many members they added or removed, which is not what is asked here.",
            ),
            cases(live, dangling),
            lua_runs.ask("ADVANCE_LUA"),
            lua_runs.same_answers(SOURCE),
            given,
            simpler=simpler(live, dangling),
            tries=4,
            mistakes=(
                Mistake(
                    "no answer",
                    "The script says nothing: nil. The caller needs the 1 to tell `advanced`, and the 0 for `absent`.",
                    _answered(None),
                ),
                Mistake(
                    "the answer of ZADD or ZREM",
                    "You return what ZADD or ZREM answered: ZADD answers 0 for a member that it rewrote, and ZREM 1 "
                    "for one that it removed. The caller asks whether the record is there.",
                    lambda case, ran: ran.acts[-1].heard.value == (0 if len(case.given) == 2 else 1),
                ),
            ),
            on_store=True,
        ),
    ),
    hides=("advance",),
)
