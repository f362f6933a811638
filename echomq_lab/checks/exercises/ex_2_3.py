"""2.3 REGISTER_LUA: write @register.

KEYS[1] the registry, KEYS[2] the record; ARGV name, every_ms, template, first-run ms; answers 1 or 0.

Source: exercises, the table; seed 000, "The upsert"; wire contract, `repeat.register`.
"""

from __future__ import annotations

from echomq_lab.checks import lua_runs, register_runs
from echomq_lab.checks.desk import Ran
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.checks.lua_runs import EXPIRING, LuaCase
from echomq_lab.checks.register_runs import PLAIN_ANOTHER, PLAIN_FRESH, PLAIN_SAME, given, simplest

_ask = lua_runs.ask("REGISTER_LUA")
_FIELD_READS = ("HEXISTS", "HGET", "HMGET")


def _written(case: LuaCase, ran: Ran) -> Wrong | None:
    """Compares what a new name gets, and asks that it stays."""
    return register_runs.same_keys(case, ran) or lua_runs.expires(case, ran)


def _guard_after_write(case: LuaCase, ran: Ran) -> bool:
    """Whether the record was written before it was asked for, and the name got no entry."""
    calls = [not lua_runs.only_reads(call) for call in ran.acts[0].calls if case.keys[1] in call]
    registry = case.keys[0]
    return calls[:1] == [True] and False in calls and ran.before.get(registry) == ran.acts[0].after.get(registry)


def _scored_by_period(case: LuaCase, ran: Ran) -> bool:
    name, every_ms = case.runs[0][:2]
    entries = ran.acts[0].after.get(case.keys[0])
    return type(entries) is list and [name, every_ms] in entries


def _changed(case: LuaCase, ran: Ran) -> tuple[bool, bool]:
    """Whether the entry, and whether the record, is another than it was."""
    entry, record = (ran.before.get(key) != ran.acts[0].after.get(key) for key in case.keys)
    return entry, record


def _period_alone(case: LuaCase, ran: Ran) -> bool:
    """Whether of all that was there every_ms alone is another."""
    before, after = (held.get(case.keys[1]) for held in (ran.before, ran.acts[0].after))
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    same = before.get("template") == after.get("template")
    return _changed(case, ran) == (False, True) and same and before.get("every_ms") != after.get("every_ms")


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
            register_runs.fresh,
            _ask,
            _written,
            given,
            simpler=simplest(PLAIN_FRESH),
            mistakes=(
                Mistake(
                    "guard after the write",
                    "The guard comes after the HSET, so it finds the record that the script has just written, and no "
                    "new name ever gets its entry.",
                    _guard_after_write,
                ),
                Mistake(
                    "scored by the period",
                    "You score the entry by its period. A score is the instant of the next run: ARGV[4], in Unix ms.",
                    _scored_by_period,
                ),
                EXPIRING,
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
            register_runs.elsewhere,
            _ask,
            register_runs.in_keys,
            given,
            simpler=simplest(*register_runs.PLAIN_ELSEWHERE),
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
            register_runs.same,
            _ask,
            register_runs.same_answers,
            given,
            simpler=simplest(PLAIN_FRESH, PLAIN_SAME),
            mistakes=(
                Mistake(
                    "no answer",
                    "The script does its work and says nothing: nil. The caller needs the 1 to answer `registered`, "
                    "and the 0 to answer `exists`.",
                    lambda _, ran: ran.acts[0].heard.value is None,
                ),
                Mistake(
                    "text",
                    "The script answers text. It must answer a number: the caller asks whether that is 0, and no text "
                    "is.",
                    lambda _, ran: type(ran.acts[0].heard.value) is str,
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
            register_runs.another,
            _ask,
            register_runs.leaves,
            given,
            simpler=simplest(*PLAIN_ANOTHER),
            mistakes=(
                Mistake(
                    "the period is updated",
                    "The second boot's period gets into the record. What is stored stays; who wants another period "
                    "cancels first.",
                    _period_alone,
                ),
                Mistake(
                    "the record is rewritten",
                    "The score stays and the record is rewritten: a second boot's period and template win. ZADD NX "
                    "guards the entry alone.",
                    lambda case, ran: _changed(case, ran) == (False, True),
                ),
                Mistake(
                    "the score is moved",
                    "The record stays and the live score moves: each boot puts off the run that was due.",
                    lambda case, ran: _changed(case, ran) == (True, False),
                ),
                Mistake(
                    "all is written anew",
                    "A second boot writes everything anew, record and score, as if the name were new. Does a guard "
                    "stand before the writes?",
                    lambda case, ran: _changed(case, ran) == (True, True),
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
            lambda rng: [register_runs.lone_record(rng), register_runs.lone_entry(rng)],
            register_runs.ask_bare_too("REGISTER_LUA"),
            register_runs.decides,
            given,
            simpler=simplest(*register_runs.PLAIN_LONE),
            mistakes=(
                Mistake(
                    "probe on the registry",
                    "You probe the registry, as with ZSCORE. The record decides: with a record there is nothing to "
                    "write, without one the name is new.",
                    lambda case, ran: not register_runs.probes_record(case, ran),
                ),
            ),
            on_store=True,
        ),
        Test(
            "any record",
            1,
            "A record that is there is a record, whatever fields it has.",
            "Ask whether the key is there, not what is in it.",
            (
                "Does the guard ask whether the record is there, or what is in it?",
                "Look at your probe: does it name a field, or count them?",
                "EXISTS asks for the key; HEXISTS and HGET ask for a field of it.",
            ),
            register_runs.one_field,
            _ask,
            register_runs.leaves,
            given,
            simpler=simplest(*register_runs.PLAIN_ONE_FIELD),
            mistakes=(
                Mistake(
                    "guard on one field",
                    "Your guard asks for a field of the record. A record that lacks it is overwritten, and its owner "
                    "does not hear of it.",
                    lambda _, ran: any(call[0].upper() in _FIELD_READS for call in ran.acts[0].calls),
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
            register_runs.same,
            _ask,
            register_runs.only_reads,
            given,
            simpler=simplest(PLAIN_SAME),
            on_store=True,
        ),
    ),
    hides=("register",),
)
