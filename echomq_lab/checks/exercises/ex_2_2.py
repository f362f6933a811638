"""2.2 register_order: the lettered blocks of @register, in the order in which the script has to run them.

An order is assembled to a script, which is run in this process: it holds the library's own lines and nothing else. Any
order that does what @register does is right.

Source: exercises, the table; seed 000, "The upsert" ("the guard is its first move").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from echomq_lab.checks import lua_runs, register_runs
from echomq_lab.checks.desk import Desk, Heard, Raised, Ran
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.checks.lua_runs import LuaCase
from echomq_lab.checks.register_runs import PLAIN_ANOTHER, PLAIN_FRESH, PLAIN_SAME, given, simplest
from echomq_lab.scenario.register_blocks import BLOCKS, assemble

_LETTERS = ", ".join(BLOCKS)
_PROBES = ("B", "E")


@dataclass(frozen=True, slots=True)
class Tried:
    """What was heard, the letters read from it, and what their script did; None where no letter could be read."""

    heard: Heard
    letters: tuple[str, ...]
    ran: Ran | None

    @property
    def errors(self) -> tuple[Raised, ...]:
        """What went wrong: a value raises nothing, and blocks in any order run."""
        return ()

    def before(self, first: str, second: str) -> bool:
        """Whether one block comes before another, both in the script."""
        at = self.letters.index
        return {first, second} <= set(self.letters) and at(first) < at(second)


def letters(value: Any) -> tuple[str, ...]:
    """The letters that are meant: of a text or a list, small ones and whole lines too, each at its first place."""
    if type(value) is str:
        value = re.findall(r"[^][,;'\"\s]", value)
    if type(value) not in (list, tuple) or len(value) > 2 * len(BLOCKS):
        return ()
    by_line = {line: letter for letter, line in BLOCKS.items()}
    found = [by_line.get(each.strip(), each.strip().upper()) if type(each) is str else "" for each in value]
    return tuple(dict.fromkeys(found)) if set(found) <= set(BLOCKS) else ()


def _hear(desk: Desk) -> Heard:
    return desk.value("register_order")


def _run(order: tuple[str, ...], case: LuaCase) -> Ran:
    return lua_runs.here(assemble(order), case)


def _run_bare_too(order: tuple[str, ...], case: LuaCase) -> Ran:
    return register_runs.bare_too(lambda each: _run(order, each), case)


def _ask(run: Callable[[tuple[str, ...], LuaCase], Ran]) -> Callable[[Desk, LuaCase], Tried]:
    """Reads the order, and runs the script of its letters."""

    def ask(desk: Desk, case: LuaCase) -> Tried:
        heard = _hear(desk)
        order = letters(heard.value)
        return Tried(heard, order, run(order, case) if order else None)

    return ask


def _ran(judge: Callable[[LuaCase, Ran], Wrong | None]) -> Callable[[LuaCase, Tried], Wrong | None]:
    """A judgement of what the assembled script did."""

    def judged(case: LuaCase, tried: Tried) -> Wrong | None:
        if tried.ran is None:
            return Wrong(case.told(), f"register_order = {tried.heard.told}", f"letters of blocks: {_LETTERS}")
        return judge(case, tried.ran)

    return judged


def _is_order(_: None, heard: Heard) -> Wrong | None:
    value = heard.value
    if type(value) in (list, tuple) and value and list(letters(value)) == list(value):
        return None
    return Wrong("register_order", heard.told, f"a list of letters of {_LETTERS}, such as ['A', 'C']")


def _texts(heard: Heard) -> list[str]:
    """The items that are text."""
    items = heard.value if type(heard.value) in (list, tuple) else ()
    return [each for each in items if type(each) is str]


EXERCISE = Exercise(
    "2.2",
    "register_order",
    (Name("register_order", "a list of letters"),),
    (
        Test(
            "letters",
            1,
            f"register_order must be a list of letters of blocks, {_LETTERS}, each of them once at most.",
            "Let the widget write the line: it shows register_order = [...] under the blocks.",
            (
                "What does the line under the widget's blocks look like?",
                "Look at the brackets, the quotes and the letters: is each item one capital letter?",
                'A list of two blocks is written ["A", "C"].',
            ),
            lambda _: [None],
            lambda desk, _: _hear(desk),
            _is_order,
            lambda _: "register_order",
            mistakes=(
                Mistake(
                    "one text",
                    "The letters stand in one text. Give each its own quotes, and put the list's brackets round them.",
                    lambda _, heard: type(heard.value) is str,
                ),
                Mistake(
                    "a block twice",
                    "A block is there twice. Each is one line of the script and can be used once.",
                    lambda _, heard: len(set(_texts(heard))) < len(_texts(heard)),
                ),
                Mistake(
                    "small letters",
                    "The letters are small ones. The blocks are named by capital letters.",
                    lambda _, heard: any(each.islower() and each.upper() in BLOCKS for each in _texts(heard)),
                ),
                Mistake(
                    "lines for letters",
                    "The list holds the lines of the script. Put their letters into it.",
                    lambda _, heard: any("return" in each or "redis" in each for each in _texts(heard)),
                ),
            ),
        ),
        Test(
            "a new name",
            1,
            "In this order a new name does not get both its record and its entry.",
            "Put your order into the widget, press Try this order, and read what the first boot leaves.",
            (
                "What has to be written for a name that is new, and does your order get there?",
                "Read it line by line for an empty queue: at which line does the script end?",
                "The blocks D and A are the two writes. Nothing before them may end the script on an empty queue.",
            ),
            register_runs.fresh,
            _ask(_run),
            _ran(register_runs.same_keys),
            given,
            simpler=simplest(PLAIN_FRESH),
            mistakes=(
                Mistake(
                    "a write is missing",
                    "A block that writes is missing: a registration is a record and an entry.",
                    lambda _, tried: not {"A", "D"} <= set(tried.letters),
                ),
                Mistake(
                    "store before probe",
                    "You store the record before you probe for it. The probe then finds what the script itself has "
                    "written, and the name never gets its entry.",
                    lambda _, tried: tried.before("D", "B") and tried.before("B", "A"),
                ),
                Mistake(
                    "return first",
                    "A return stands before a write. What comes after it never runs.",
                    lambda _, tried: tried.before("C", "A") or tried.before("C", "D"),
                ),
            ),
        ),
        Test(
            "second boot",
            2,
            "In this order a second boot changes what is there.",
            "Press Try this order, and compare what the second boot called and changed with the first.",
            (
                "What may a boot still do once it is known that the record is there?",
                "Which blocks run before the one that can answer 0?",
                "No block that writes may stand before the guard: if there is a record, nothing else is done.",
            ),
            register_runs.another,
            _ask(_run),
            _ran(register_runs.leaves),
            given,
            simpler=simplest(*PLAIN_ANOTHER),
            mistakes=(
                Mistake(
                    "no guard",
                    "No block of yours asks whether the name is there, so each boot writes everything anew.",
                    lambda _, tried: not set(_PROBES) & set(tried.letters),
                ),
                Mistake(
                    "guard last",
                    "The guard comes last, after both writes. By then the live entry and its record are overwritten.",
                    lambda _, tried: tried.before("D", "B") and tried.before("A", "B"),
                ),
                Mistake(
                    "ZADD before the probe",
                    "ZADD comes before the probe. The record is safe, but each boot moves the live score.",
                    lambda _, tried: tried.before("A", "B"),
                ),
            ),
        ),
        Test(
            "the record decides",
            1,
            "In this order it is not the record that decides whether a name is registered.",
            "Compare the two blocks that can answer 0: which key does each of them ask?",
            (
                "Which of the two keys says that a name is registered?",
                "Two blocks look like a guard. Which one does the course call the first move?",
                "EXISTS on KEYS[2] asks for the record; ZSCORE on KEYS[1] asks for the entry, which may be a leftover.",
            ),
            lambda rng: [register_runs.lone_entry(rng)],
            _ask(_run_bare_too),
            _ran(register_runs.decides),
            given,
            simpler=simplest(register_runs.PLAIN_LONE[1]),
            mistakes=(
                Mistake(
                    "the other guard",
                    "Your guard asks the registry. An entry whose record is gone would keep the name from ever being "
                    "registered again.",
                    lambda _, tried: "E" in tried.letters,
                ),
            ),
        ),
        Test(
            "answers",
            1,
            "In this order the script does not answer 1 for a new name and 0 for one that is there.",
            "Press Try this order, and read the two replies.",
            (
                "How does the caller learn that a name was new?",
                "Which block answers 1, and when is it reached?",
                "A script that ends without a return answers nil, and what comes after a return is not reached.",
            ),
            register_runs.same,
            _ask(_run),
            _ran(register_runs.same_answers),
            given,
            simpler=simplest(PLAIN_FRESH, PLAIN_SAME),
            mistakes=(
                Mistake(
                    "no answer",
                    "Your order registers a new name and says nothing: nil. One block is left that answers.",
                    lambda _, tried: "C" not in tried.letters,
                ),
            ),
        ),
    ),
)
