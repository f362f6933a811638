"""2.4 BUG, REGISTER_FIXED: find out what a given register script does wrong at a second boot, and mend it.

The bug shows only when the second boot asks for another period. Which letter is right comes from running the script.

Source: exercises, the table; wire contract, `repeat.register`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from echomq_lab.checks import lua_runs, register_runs
from echomq_lab.checks.desk import Heard, Ran
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.checks.lua_runs import LuaCase
from echomq_lab.checks.register_runs import PLAIN_FRESH, PLAIN_SAME, given, simplest
from echomq_lab.clock import LAB_DAY_MS
from echomq_lab.scenario.given_register import GIVEN, SUSPECTS

_FIRST = ("visits", 60_000, "{}", LAB_DAY_MS + 60_000)
#: The second boot asks for everything anew, so that whatever the script takes from it shows.
_TWICE = LuaCase(
    "a boot, and another one that asks for all anew",
    lua_runs.usual("visits"),
    (_FIRST, ("visits", 900_000, "plain text", LAB_DAY_MS + 120_000)),
)


def _entries(ran: Ran, act: int) -> list[Any]:
    held = ran.acts[act].after.get(_TWICE.keys[0])
    return held if isinstance(held, list) else []


def _field(ran: Ran, act: int, name: str) -> Any:
    held = ran.acts[act].after.get(_TWICE.keys[1])
    return held.get(name) if isinstance(held, dict) else None


#: Letter -> whether it happens in a run of `_TWICE`.
HAPPENS: dict[str, Callable[[Ran], bool]] = {
    "A": lambda ran: len(_entries(ran, 1)) > len(_entries(ran, 0)),
    "B": lambda ran: _entries(ran, 0)[0] not in _entries(ran, 1),
    "C": lambda ran: _field(ran, 0, "every_ms") != _field(ran, 1, "every_ms"),
    "D": lambda ran: _field(ran, 0, "template") != _field(ran, 1, "template"),
    "E": lambda ran: bool(ran.acts[0].heard.value == ran.acts[1].heard.value),
}


@cache
def happening(script: str = GIVEN) -> tuple[str, ...]:
    """The letters of what a second boot by one of the library's own scripts does wrong, found by running it."""
    ran = lua_runs.here(script, _TWICE)
    return tuple(letter for letter, happens in HAPPENS.items() if happens(ran))


def _letter(heard: Heard) -> str:
    """The letter that is meant, small or capital."""
    return heard.value.strip().upper() if type(heard.value) is str else ""


def _is_bug(_: None, heard: Heard) -> Wrong | None:
    if (_letter(heard),) == happening():
        return None
    told = SUSPECTS.get(_letter(heard), "")
    # The letter itself is what is asked for, so it is not told.
    return Wrong(_TWICE.says, f"BUG = {heard.told}  {told}".rstrip(), "the letter of the one thing that happens")


def _twice(rng: Random) -> list[LuaCase]:
    """A boot, and a second one that asks for another period, and for another template and first run."""
    cases = []
    for known in register_runs.another(rng)[:2]:
        name, *asked = known.runs[0]
        (_, _, _, every_ms, _, template), (_, _, first_ms, _) = known.given
        says = "a boot, and another one that asks for another period"
        cases.append(LuaCase(says, known.keys, ((name, every_ms, template, first_ms), (name, *asked))))
    return cases


_PERIOD = LuaCase(
    "a boot, and another one that asks for another period", _TWICE.keys, (_FIRST, ("visits", 900_000, *_FIRST[2:]))
)


def _as_given(case: LuaCase, ran: Ran) -> bool:
    """Whether the script calls what the given one calls."""
    right = lua_runs.here(GIVEN, case)
    return [act.calls for act in ran.acts] == [act.calls for act in right.acts]


def _deleted(_: LuaCase, ran: Ran) -> bool:
    return any(call[0].upper() in ("DEL", "UNLINK", "HDEL", "ZREM") for call in ran.acts[1].calls)


def _period_written(case: LuaCase, ran: Ran) -> bool:
    """Whether of all that was there every_ms alone is another."""
    registry, record = case.keys
    (first, one), (second, two) = ((act.after.get(registry), act.after.get(record)) for act in ran.acts)
    if not isinstance(one, dict) or not isinstance(two, dict):
        return False
    return bool(first == second) and one | {"every_ms": ""} == two | {"every_ms": ""}


def _others(rng: Random) -> list[LuaCase]:
    """The cases of 2.3 that no boot of the service shows."""
    cases = [*register_runs.elsewhere(rng), register_runs.lone_record(rng), register_runs.lone_entry(rng)]
    return [*cases, *register_runs.one_field(rng)[:2]]


def _as_before(case: LuaCase, ran: Ran) -> Wrong | None:
    return register_runs.in_keys(case, ran) or register_runs.decides(case, ran)


_SCRIPT = ("REGISTER_FIXED",)
_ask = lua_runs.ask("REGISTER_FIXED")

EXERCISE = Exercise(
    "2.4",
    "BUG, REGISTER_FIXED",
    (Name("BUG", "a letter of the list"), Name("REGISTER_FIXED", "Lua text", type="str")),
    (
        Test(
            "the letter",
            1,
            "That is not what happens at the second boot.",
            "Boot by the given script for one period and then for another, and compare the keys before and after.",
            (
                "What of the first boot's wishes is no longer there after the second boot?",
                "Compare entry, score, period, template and answer, one by one, before and after the second boot.",
                "readout.steps(boot_by(conn, 'try', GIVEN, [900_000, 3_600_000])) shows each change of two such boots.",
            ),
            lambda _: [None],
            lambda desk, _: desk.value("BUG"),
            _is_bug,
            lambda _: _TWICE.says,
            mistakes=(
                Mistake(
                    "no letter",
                    f"BUG must be one letter of the list, as text: {', '.join(SUSPECTS)}.",
                    lambda _, heard: _letter(heard) not in SUSPECTS,
                ),
                Mistake(
                    "the entry suspected",
                    "The entry is as the first boot left it: neither a second one nor another score. Look at the other "
                    "key.",
                    lambda _, heard: _letter(heard) in ("A", "B"),
                ),
                Mistake(
                    "the answer suspected",
                    "The answer of the second boot is the right one, 0. What was written before it was given?",
                    lambda _, heard: _letter(heard) == "E",
                ),
            ),
            of=("BUG",),
        ),
        Test(
            "a new name",
            1,
            "The mended script no longer gives a new name its record and its entry.",
            "Boot once by your script on an empty queue, and look at both keys.",
            (
                "What did the given script do right, and does yours still do it?",
                "Compare the writes of your script with those of the given one: which fields, which score?",
                "A new name needs every_ms and template in its record: no write may be lost when lines move.",
            ),
            register_runs.fresh,
            _ask,
            register_runs.same_keys,
            given,
            simpler=simplest(PLAIN_FRESH),
            of=_SCRIPT,
            on_store=True,
        ),
        Test(
            "answers",
            1,
            "The mended script no longer answers 1 for a new name and 0 for one that is there.",
            "Boot twice by your script, and compare its two answers with those of the given one.",
            (
                "Which answers does the given script give? They are right.",
                "Look at each way out of your script: what does it return?",
                "return 0 for a record that is there, return 1 at the end.",
            ),
            register_runs.same,
            _ask,
            register_runs.same_answers,
            given,
            simpler=simplest(PLAIN_FRESH, PLAIN_SAME),
            of=_SCRIPT,
            on_store=True,
        ),
        Test(
            "another period",
            2,
            "A second boot that asks for another period still changes what the first one wrote.",
            "Boot by your script for one period and then for another, and look at what the second boot changed.",
            (
                "Which line runs at a second boot although nothing may be written there?",
                "Which write of the script stands before the line that returns 0?",
                "Nothing may be written until it is known that the record is not there.",
            ),
            _twice,
            _ask,
            register_runs.leaves,
            given,
            simpler=simplest(_PERIOD, _TWICE),
            mistakes=(
                Mistake(
                    "as given",
                    "Your script still does what the given one did, call by call.",
                    _as_given,
                ),
                Mistake(
                    "deleted and written anew",
                    "Your script removes what is there and writes it anew. That is a cancel and a new registration: "
                    "the second boot's wishes win.",
                    _deleted,
                ),
                Mistake(
                    "the period still written",
                    "The guard has moved, and the period is still written for a name that is there.",
                    _period_written,
                ),
            ),
            of=_SCRIPT,
            on_store=True,
        ),
        Test(
            "as before",
            1,
            "The mended script is another register: it takes a name for new or for known where the library's does not, "
            "or touches keys outside KEYS.",
            "Change as little as you can: the probe of the given script is right.",
            (
                "Which key does the given script probe, and which does yours?",
                "Look at your probe: it must ask whether the key KEYS[2] is there, not for what is in it.",
                "redis.call('EXISTS', KEYS[2]) was right, and can stay as it was.",
            ),
            _others,
            register_runs.ask_bare_too("REGISTER_FIXED"),
            _as_before,
            given,
            simpler=simplest(*register_runs.PLAIN_ELSEWHERE, *register_runs.PLAIN_LONE, *register_runs.PLAIN_ONE_FIELD),
            of=_SCRIPT,
            on_store=True,
        ),
    ),
)
