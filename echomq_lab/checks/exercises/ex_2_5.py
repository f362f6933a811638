"""2.5 boot(conn, queue, schedules): register all schedules at every boot, and answer the list of replies.

Over any boots and any interleaving of two there is one `registered` for a name, and a live score never moves.

Source: exercises, the table; seed 000, "The upsert" ("a service that boots re-registers all its schedules").
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from echomq_lab import repeat
from echomq_lab.checks import lua_runs
from echomq_lab.checks.desk import CONN, QUEUE, THE_QUEUE, Desk, Raised, Ran, Word, call, told
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.checks.lua_runs import NAMES, TEMPLATES
from echomq_lab.checks.pupil import Here
from echomq_lab.clock import LAB_DAY_MS
from echomq_lab.keyspace import record_key, registry_key
from echomq_lab.store import Connection

#: name, every_ms, template, first_in_ms: what `boot` takes a list of.
Schedule = tuple[str, int, str, int]

_PERIODS_MS = (60_000, 900_000, 3_600_000, 86_400_000)
_WORDS = [str(each) for each in repeat.Registered]
_MINUTE_MS = 60_000
#: Two boots are made to meet before each of at most so many commands.
_MOST_MEETINGS = 12
_AT_ONCE: Schedule = ("visits", 60_000, "{}", 0)
_IN_A_MINUTE: Schedule = ("visits", 60_000, "{}", 60_000)
_ANOTHER: Schedule = ("visits", 900_000, "{}", 60_000)


@dataclass(frozen=True, slots=True)
class BootCase:
    """What an earlier version registered, and the boots: the clock in ms at each, and what it asks for."""

    boots: tuple[tuple[int, tuple[Schedule, ...]], ...]
    known: tuple[Schedule, ...] = ()

    def told(self) -> str:
        """The case in words, a line each."""
        known = ", ".join(f"{name} (every_ms {every_ms}, template {text})" for name, every_ms, text, _ in self.known)
        begins = f"a queue in which there is {known}" if known else "an empty queue"
        return "\n".join([begins, *(f"now {at_ms}: boot(conn, queue, {list(each)!r})" for at_ms, each in self.boots)])

    @property
    def given(self) -> list[tuple[Word, ...]]:
        """The commands that set it up: first runs lie far ahead."""
        commands: list[tuple[Word, ...]] = []
        for name, every_ms, template, first_in_ms in self.known:
            commands.append(("HSET", record_key(QUEUE, name), "every_ms", every_ms, "template", template))
            commands.append(("ZADD", registry_key(QUEUE), LAB_DAY_MS + 86_400_000 + first_in_ms, name))
        return commands


@dataclass(frozen=True, slots=True)
class Met:
    """The runs in which two boots met, one before each command."""

    runs: tuple[Ran, ...]

    @property
    def errors(self) -> tuple[Raised, ...]:
        """What went wrong in the student's code."""
        return tuple(error for ran in self.runs for error in ran.errors)


def _library(conn: Connection, queue: str, schedules: list[Schedule]) -> list[str]:
    return [str(repeat.register(conn, queue, *each)) for each in schedules]


@cache
def _expected(case: BootCase) -> Ran:
    return _ask(_here(), case)


@cache
def _here() -> Desk:
    return Desk(Here({"boot": _library}))


def _ask(desk: Desk, case: BootCase) -> Ran:
    acts = [call("boot", CONN, THE_QUEUE, list(each), now_ms=at_ms) for at_ms, each in case.boots]
    return desk.run(case.given, acts, now_ms=LAB_DAY_MS)


def _meet(desk: Desk, case: BootCase) -> Met:
    """Let the same boot run whole before each command of a boot."""
    ((at_ms, schedules),) = case.boots
    alone = _ask(desk, case)
    runs = []
    for number in range(1, min(alone.acts[0].sent, _MOST_MEETINGS) + 1):
        act = call("boot", CONN, THE_QUEUE, list(schedules), now_ms=at_ms, meanwhile=number)
        runs.append(desk.run(case.given, [act], now_ms=LAB_DAY_MS))
    return Met(tuple(runs) or (alone,))


def _schedules(rng: Random, count: int) -> tuple[Schedule, ...]:
    return tuple(
        (name, rng.choice(_PERIODS_MS), rng.choice(TEMPLATES), rng.randrange(1_000, 7_200_000))
        for name in rng.sample(NAMES, count)
    )


def _anew(rng: Random, schedules: tuple[Schedule, ...]) -> tuple[Schedule, ...]:
    """The same names, each with another period, template and first run."""
    return tuple(
        (name, every_ms + 1_000, rng.choice([each for each in TEMPLATES if each != template]), first_in_ms + 500)
        for name, every_ms, template, first_in_ms in schedules
    )


def _fresh(rng: Random) -> list[BootCase]:
    """A first boot, and one of a version that brings a new schedule along."""
    some, more, at_ms = _schedules(rng, 2), _schedules(rng, 2), LAB_DAY_MS + rng.randrange(86_400_000)
    return [BootCase(((at_ms, some),)), BootCase(((at_ms, more),), (rng.choice(more),))]


def _later(rng: Random) -> list[BootCase]:
    """A version that asks for all anew, and a first boot with a second one that asks for the same."""
    same, known = _schedules(rng, 2), _schedules(rng, 1)
    at_ms = [LAB_DAY_MS + number * _MINUTE_MS + rng.randrange(1, _MINUTE_MS) for number in range(2)]
    again = BootCase(tuple((each, same) for each in at_ms))
    return [BootCase(((at_ms[0], _anew(rng, known)),), known), again]


def _replied(rng: Random) -> list[BootCase]:
    """A first boot, and two that find one of their schedules there: the last of them, and the first."""
    some = _schedules(rng, 2)
    at_ms = LAB_DAY_MS + rng.randrange(86_400_000)
    return [
        BootCase(((at_ms, some),)),
        *(BootCase(((at_ms, each),), some[1:]) for each in (some, some[::-1])),
    ]


def _together(rng: Random) -> list[BootCase]:
    return [BootCase(((LAB_DAY_MS + rng.randrange(86_400_000), _schedules(rng, 2)),))]


_FIRST_BOOTS = (BootCase(((LAB_DAY_MS, (_AT_ONCE,)),)), BootCase(((LAB_DAY_MS, (_IN_A_MINUTE,)),)))
_SECOND_BOOTS = tuple(BootCase(((LAB_DAY_MS, (each,)),), (_AT_ONCE,)) for each in (_IN_A_MINUTE, _ANOTHER))


def _simpler(case: BootCase) -> Iterator[BootCase]:
    """One boot of one plain schedule; then one boot, and a schedule less."""
    ladder = _SECOND_BOOTS if case.known else _FIRST_BOOTS
    if case in ladder:
        yield from ladder[: ladder.index(case)]
        return
    yield from ladder
    if len(case.boots) > 1:
        yield replace(case, boots=case.boots[:1])
        return
    ((at_ms, schedules),) = case.boots
    for number in range(len(schedules) if len(schedules) > 1 else 0):
        yield replace(case, boots=((at_ms, schedules[:number] + schedules[number + 1 :]),))


def _replies(value: Any) -> list[Any]:
    """The replies that are meant, whatever holds them; none of what cannot be read so."""
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else []


def _is_list(case: BootCase, ran: Ran) -> Wrong | None:
    """Asks for a list of one word for each schedule; which word, only of a boot that leaves what it should."""
    (act,), (right,) = (each.acts for each in (ran, _expected(case)))
    said, wanted = act.heard.value, right.heard.value
    if type(said) is list:
        fits = len(said) == len(wanted) and all(each in _WORDS for each in said)
        if said == wanted or (fits and case.known and act.after != right.after):
            return None
    return Wrong(case.told(), act.heard.told, told(wanted))


def _other_order(case: BootCase, ran: Ran) -> bool:
    """Whether the replies are those that are meant, in another order."""
    said, wanted = (each.acts[0].heard.value for each in (ran, _expected(case)))
    return type(said) is list and said != wanted and sorted(map(str, said)) == sorted(wanted)


def _adds(case: BootCase, ran: Ran) -> Wrong | None:
    """Compares what is there beside the names that were there before."""
    came, wanted = (_beside(each.acts[-1].after, case.known) for each in (ran, _expected(case)))
    return None if came == wanted else Wrong(case.told(), *lua_runs.differ(came, wanted))


def _beside(held: Any, known: tuple[Schedule, ...]) -> dict[str, Any]:
    """What the keys hold, some registrations left out."""
    names = [name for name, *_ in known]
    out = {registry_key(QUEUE), *(record_key(QUEUE, name) for name in names)}
    entries = held.get(registry_key(QUEUE), [])
    new = [each for each in entries if each[0] not in names] if isinstance(entries, list) else entries
    return {key: value for key, value in held.items() if key not in out} | ({registry_key(QUEUE): new} if new else {})


def _at_once(case: BootCase, ran: Ran) -> bool:
    """Whether every new entry is due at the boot itself."""
    at_ms, _ = case.boots[-1]
    entries = _beside(ran.acts[-1].after, case.known).get(registry_key(QUEUE))
    return isinstance(entries, list) and all(score == at_ms for _, score in entries)


def _leaves(case: BootCase, ran: Ran) -> Wrong | None:
    """Asks that boots leave all as it was, and the first boot of an empty queue something."""
    states = [ran.before, *(act.after for act in ran.acts)]
    if not case.known:
        if not states[1]:
            return Wrong(case.told(), "nothing is there", "what the first boot registers")
        states = states[1:]
    for before, after in itertools.pairwise(states):
        if after != before:
            return Wrong(case.told(), *lua_runs.differ(after, before))
    return None


def _registers_once(case: BootCase, met: Met) -> Wrong | None:
    """Asks that of two boots that met one heard `registered` for a name, and the other `exists`."""
    names = [name for name, *_ in case.boots[0][1]]
    wanted = [sorted((str(repeat.Registered.REGISTERED), str(repeat.Registered.EXISTS)))] * len(names)
    for number, ran in enumerate(met.runs, 1):
        act = ran.acts[0]
        heard = [_replies(each.value) if each else [] for each in (act.heard, act.other)]
        if any(len(each) != len(names) for each in heard):
            came = "\n".join(each.told if each else "nothing was sent" for each in (act.heard, act.other))
            return Wrong(_meeting(case, number), came, "a reply for each schedule, of each boot")
        pairs = [sorted(map(str, pair)) for pair in zip(*heard, strict=True)]
        if pairs != wanted:
            came = "; ".join(f"{name}: {' and '.join(pair)}" for name, pair in zip(names, pairs, strict=True))
            expected = "; ".join(f"{name}: {' and '.join(pair)}" for name, pair in zip(names, wanted, strict=True))
            return Wrong(_meeting(case, number), came, expected)
    return None


def _meeting(case: BootCase, number: int) -> str:
    return f"{case.told()}\nand before its command {number} the same boot, whole, on another machine"


def _asks_first(case: BootCase, met: Met) -> bool:
    """Whether a boot begins with a question, and sends more commands than it has schedules."""
    acts = [act for ran in met.runs for act in ran.acts if act.calls]
    count = len(case.boots[0][1])
    return any(lua_runs.only_reads(act.calls[0]) and act.sent > count for act in acts)


def _called(ran: Ran) -> set[str]:
    return {words[0].upper() for act in ran.acts for words in act.calls}


EXERCISE = Exercise(
    "2.5",
    "boot",
    (Name("boot", "a function", "(conn, queue, schedules)"),),
    (
        Test(
            "replies",
            1,
            "boot must answer the list of replies: one for each schedule, in the order of the schedules.",
            "Call boot with two schedules, one of them there already, and look at its answer: type, length, order.",
            (
                "Who would need to know whether a schedule was new?",
                "What does repeat.register answer, and what does your loop do with it?",
                "Collect in a list: replies.append(...) in the loop, return replies after it.",
            ),
            _replied,
            _ask,
            _is_list,
            BootCase.told,
            simpler=_simpler,
            mistakes=(
                Mistake(
                    "swallowed",
                    "boot swallows the replies: it returns nothing. The caller cannot tell `registered` from `exists`.",
                    lambda _, ran: all(act.heard.value is None for act in ran.acts),
                ),
                Mistake(
                    "the last alone",
                    "boot returns one reply. There is one for each schedule.",
                    lambda _, ran: all(type(act.heard.value) is str for act in ran.acts),
                ),
                Mistake(
                    "no list",
                    "The replies are all there and do not come as a list. A list keeps their order, and keeps two that "
                    "are alike.",
                    lambda case, ran: all(
                        isinstance(act.heard.value, dict | tuple) and _replies(act.heard.value) == right.heard.value
                        for act, right in zip(ran.acts, _expected(case).acts, strict=True)
                    ),
                ),
                Mistake(
                    "another order",
                    "The replies are all there, in another order than the schedules. A caller knows by its place alone "
                    "whose a reply is.",
                    _other_order,
                ),
                Mistake(
                    "not made yet",
                    "boot returns a generator or a map, which registers when somebody goes through it, and not before. "
                    "Make a list of them: list(...).",
                    lambda _, ran: all(
                        getattr(act.heard.value, "kind", "") in ("generator", "map") for act in ran.acts
                    ),
                ),
                Mistake(
                    "a set",
                    "boot returns a set. A set forgets the order, and holds two replies that are alike once.",
                    lambda _, ran: all(getattr(act.heard.value, "kind", "") == "set" for act in ran.acts),
                ),
            ),
            on_store=True,
        ),
        Test(
            "new names",
            1,
            "A schedule that is new does not get its record and its entry as it asks for them.",
            "Boot one schedule on a fresh queue, and compare readout.registry with what the schedule says.",
            (
                "What does each of the four parts of a schedule become: which key, which field, which score?",
                "Look at the call of repeat.register: which argument is at which place? Is it made for every schedule?",
                "for name, every_ms, template, first_in_ms in schedules: takes a schedule apart, in its order.",
            ),
            _fresh,
            _ask,
            _adds,
            BootCase.told,
            simpler=_simpler,
            mistakes=(
                Mistake(
                    "the first run forgotten",
                    "The first run comes at once. A schedule says in its fourth part how long to wait for it.",
                    _at_once,
                ),
                Mistake(
                    "known queue skipped",
                    "A schedule that a new version brings along is never registered, because others are there before "
                    "it. Each name is asked for by itself.",
                    lambda case, ran: bool(case.known) and ran.acts[-1].after == ran.before,
                ),
            ),
            on_store=True,
        ),
        Test(
            "later boots",
            2,
            "A later boot changes what is there. What is registered has to stay as it is, whatever the boot asks for.",
            "Boot, move the clock, boot again, and compare the score before and after.",
            (
                "When will a job run whose score moves at each boot?",
                "Does your function write, or cancel, for a name that is there?",
                "repeat.register writes nothing for a name that is there, so it can be called at every boot.",
            ),
            _later,
            _ask,
            _leaves,
            BootCase.told,
            simpler=_simpler,
            mistakes=(
                Mistake(
                    "cancelled first",
                    "You cancel and register again. That moves the live score at each boot: a service that boots often "
                    "never runs its job.",
                    lambda _, ran: {"ZREM", "DEL"} <= _called(ran) or "UNLINK" in _called(ran),
                ),
                Mistake(
                    "written again",
                    "You write for a name that is there, beside register. Its guard cannot see that.",
                    lambda _, ran: bool({"HSET", "ZADD"} & _called(ran)),
                ),
            ),
            on_store=True,
        ),
        Test(
            "two at once",
            2,
            "When two boots meet, a name must be `registered` for one of them and `exists` for the other.",
            "Read your function as two machines that run it in turns: what can happen between two commands?",
            (
                "Fifty machines boot at once. What may another one do between your question and your write?",
                "Is there a command of yours that asks, and a later one that writes because of the answer?",
                "Let one script ask and write: repeat.register does, so its reply needs no question before it.",
            ),
            _together,
            _meet,
            _registers_once,
            BootCase.told,
            simpler=_simpler,
            mistakes=(
                Mistake(
                    "check, then write",
                    "You ask first and write afterwards, in Python. Between the two the other boot has done both, and "
                    "so both are told `registered`.",
                    _asks_first,
                ),
            ),
            on_store=True,
        ),
    ),
)
