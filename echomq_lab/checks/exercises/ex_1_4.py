"""1.4 earliest: what the pump reads first, straight from the registry.

The name and its score, an int; ties by the name's bytes; None for an empty registry. A list of two is as good as a
tuple. Each test looks at one thing: up to the last, names alone are compared, and most registries hold one.

Source: exercises, the table; wire contract, `repeat.due`; seed 000, "The registry".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from echomq_lab.checks.desk import CONN, QUEUE, THE_QUEUE, Desk, Ran, Word, call, told
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.checks.instants import is_number
from echomq_lab.checks.lua_runs import NAMES
from echomq_lab.checks.pupil import Here
from echomq_lab.clock import instant_ms
from echomq_lab.keyspace import record_key, registry_key
from echomq_lab.store import Connection
from echomq_lab.wording import clock_time, day, relative

_NOW_MS = instant_ms("08:50")
_MINUTE_MS, _HOUR_MS = 60_000, 3_600_000
#: A name that only its bytes put first, and the one of counter-examples.
_CAPITAL, _SHORT = "Zones", "visits"
#: The commands that write and may leave all as it was.
_WRITES = {"ZPOPMIN", "ZPOPMAX", "ZMPOP", "BZPOPMIN", "BZPOPMAX", "BZMPOP", "ZADD", "ZREM", "ZINCRBY", "ZRANGESTORE"}
_WRITES |= {"ZREMRANGEBYRANK", "ZREMRANGEBYSCORE", "DEL", "UNLINK", "HSET", "HDEL", "SET", "RENAME", "COPY", "EXPIRE"}


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the registry, and the period on its record; without one it has no record."""

    name: str
    score_ms: int
    every_ms: int | None = 900_000

    def given(self) -> Iterator[tuple[Word, ...]]:
        """The commands that make it."""
        yield "ZADD", registry_key(QUEUE), self.score_ms, self.name
        if self.every_ms is not None:
            yield "HSET", record_key(QUEUE, self.name), "every_ms", self.every_ms, "template", "{}"

    def told(self) -> str:
        """It in words."""
        record = "no record" if self.every_ms is None else f"every_ms {self.every_ms}"
        when = f"{clock_time(self.score_ms, seen_from_ms=_NOW_MS)}, {relative(self.score_ms, _NOW_MS)}"
        return f"{self.name}: score {self.score_ms} ({when}), {record}"


@dataclass(frozen=True, slots=True)
class Case:
    """The entries of a registry, and a record that has no entry, if there is one."""

    entries: tuple[Entry, ...] = ()
    lone_record: str = ""

    def given(self) -> list[tuple[Word, ...]]:
        """The commands that make it."""
        lone: list[tuple[Word, ...]] = []
        if self.lone_record:
            lone = [("HSET", record_key(QUEUE, self.lone_record), "every_ms", 900_000, "template", "{}")]
        return [*lone, *(command for entry in self.entries for command in entry.given())]


def _ask(desk: Desk, case: Case) -> Ran:
    return desk.run(case.given(), [call("earliest", CONN, THE_QUEUE)], now_ms=_NOW_MS)


def _library(conn: Connection, queue: str) -> tuple[str, int] | None:
    first: Any = conn.client.zrange(registry_key(queue), 0, 0, withscores=True)
    return (first[0][0], int(first[0][1])) if first else None


@cache
def _desk() -> Desk:
    return Desk(Here({"earliest": _library}))


@cache
def expected(case: Case) -> Any:
    """What is expected."""
    return _ask(_desk(), case).acts[0].heard.value


def _given(case: Case) -> str:
    lines = [f"earliest(conn, {QUEUE!r}); now is {day(_NOW_MS)}, {clock_time(_NOW_MS)}; the registry holds"]
    lines += [entry.told() for entry in case.entries] or ["nothing"]
    if case.lone_record:
        lines.append(f"and there is a record without an entry: {case.lone_record}")
    return "\n".join(lines)


def _heard(ran: Ran) -> Any:
    return ran.acts[0].heard.value


def _pair(value: Any) -> tuple[Any, Any]:
    """What an answer says, name and score; bytes read as text, so that each test asks one thing."""
    if type(value) not in (tuple, list) or len(value) != 2:
        return None, None
    name, score = value
    return (name.decode("utf-8", "replace") if type(name) is bytes else name), score


def _wrong(case: Case, ran: Ran) -> Wrong:
    return Wrong(_given(case), ran.acts[0].heard.told, told(expected(case)))


def _judge_shape(case: Case, ran: Ran) -> Wrong | None:
    value = _heard(ran)
    pair = type(value) in (tuple, list) and len(value) == 2
    return None if pair and type(value[0]) is str and type(value[1]) is int else _wrong(case, ran)


def _judge_none(case: Case, ran: Ran) -> Wrong | None:
    return None if _heard(ran) is None else _wrong(case, ran)


def _judge_reads(case: Case, ran: Ran) -> Wrong | None:
    act = ran.acts[0]
    writes = [each for each in act.calls if each[0].upper() in _WRITES]
    if not writes and act.after == ran.before:
        return None
    sent = "; ".join(" ".join(each) for each in writes) or "another registry than before"
    return Wrong(_given(case), sent, "commands that read, and every key as it was")


def _judge_name(case: Case, ran: Ran) -> Wrong | None:
    return None if _pair(_heard(ran))[0] == expected(case)[0] else _wrong(case, ran)


def _judge_value(case: Case, ran: Ran) -> Wrong | None:
    name, score = _pair(_heard(ran))
    return None if name == expected(case)[0] and is_number(score) and score == expected(case)[1] else _wrong(case, ran)


def _one_due(rng: Random) -> list[Case]:
    return [Case((Entry(name, _NOW_MS - rng.randrange(_HOUR_MS)),)) for name in rng.sample(NAMES, 2)]


def _nothing(rng: Random) -> list[Case]:
    return [Case(), Case(lone_record=rng.choice(NAMES))]


def _one_ahead(rng: Random) -> list[Case]:
    return [Case((Entry(name, _NOW_MS + rng.randrange(1, 24 * _HOUR_MS)),)) for name in rng.sample(NAMES, 2)]


def _one_without_record(rng: Random) -> list[Case]:
    return [Case((replace(each.entries[0], every_ms=None),)) for each in _one_due(rng)]


def _several(rng: Random) -> list[Case]:
    """Three that run apart, the earliest not the first by name; and three at once, in no order of names.

    "Zones" is the first by its bytes, and the last of an alphabet that takes capitals for small letters.
    """
    low, middle, high = sorted(rng.sample(NAMES, 3), key=str.encode)
    first_ms = _NOW_MS - rng.randrange(_HOUR_MS, 2 * _HOUR_MS)
    apart_ms = (first_ms, first_ms + rng.randrange(1, 1_000), first_ms + rng.randrange(1_000, _HOUR_MS))
    periods = rng.sample((60_000, 900_000, _HOUR_MS, 24 * _HOUR_MS), 3)
    apart = [Entry(*each) for each in zip((middle, low, high), apart_ms, periods, strict=True)]
    at_once = [Entry(*each) for each in zip((high, _CAPITAL, low), [first_ms] * 3, periods, strict=True)]
    rng.shuffle(apart)
    return [Case(tuple(apart)), Case(tuple(at_once))]


def _simpler(case: Case) -> Iterator[Case]:
    """An entry or the lone record left out; the short name; round scores in the same order."""
    if case.lone_record:
        yield replace(case, lone_record="")
    if len(case.entries) > 1:
        yield from (
            replace(case, entries=case.entries[:at] + case.entries[at + 1 :]) for at in range(len(case.entries))
        )
    elif case.entries and case.entries[0].name != _SHORT:
        yield replace(case, entries=(replace(case.entries[0], name=_SHORT),))
    ranks = {score_ms: rank for rank, score_ms in enumerate(sorted({entry.score_ms for entry in case.entries}))}
    starts = [instant_ms("09:00" if entry.score_ms > _NOW_MS else "08:00") for entry in case.entries]
    scores = [start_ms + 15 * _MINUTE_MS * ranks[e.score_ms] for start_ms, e in zip(starts, case.entries, strict=True)]
    round_ones = tuple(replace(e, score_ms=at_ms) for e, at_ms in zip(case.entries, scores, strict=True))
    if round_ones != case.entries:
        yield replace(case, entries=round_ones)


def _empty(value: Any) -> bool:
    return value is None or (type(value) in (tuple, list, dict, str) and not value)


def _holds_pairs(value: Any) -> bool:
    return type(value) in (tuple, list) and bool(value) and type(value[0]) in (tuple, list)


def _reads_registry(ran: Ran) -> bool:
    return any(registry_key(QUEUE) in words for words in ran.acts[0].calls)


def _names(which: Callable[[list[Entry]], Entry]) -> Callable[[Case, Ran], bool]:
    """Whether an answer names the entry that another reading of the registry comes to."""

    def shows(case: Case, ran: Ran) -> bool:
        in_order = sorted(case.entries, key=lambda entry: (entry.score_ms, entry.name.encode()))
        return bool(_pair(_heard(ran))[0] == which(in_order).name)

    return shows


def _period(case: Case, ran: Ran) -> bool:
    """Whether an answer's score is the period of the entry that it names."""
    name, score = _pair(_heard(ran))
    return any(entry.name == name and is_number(score) and score == entry.every_ms for entry in case.entries)


EXERCISE = Exercise(
    "1.4",
    "earliest",
    (Name("earliest", "a function", "(conn, queue)"),),
    (
        Test(
            "shape",
            1,
            "The answer must be a name and a score: a str and an int, in this order.",
            "Call earliest(conn, queue) in a cell of its own, and look at the type of each part of what comes.",
            (
                "Two things are asked for. Which types do they have?",
                "What does redis-py answer for ZRANGE with scores: how is it nested, and what is a score there?",
                "redis-py gives a list of pairs with float scores: found[0][0] is a name, int(found[0][1]) its score.",
            ),
            _one_due,
            _ask,
            _judge_shape,
            _given,
            simpler=_simpler,
            mistakes=(
                Mistake(
                    "a float",
                    "The score is a float. Stores keep floats, and times are whole milliseconds: make an int of it.",
                    lambda _, ran: type(_pair(_heard(ran))[0]) is str and type(_pair(_heard(ran))[1]) is float,
                ),
                Mistake(
                    "bytes",
                    "The name is bytes. Names are text here, as the connection gives them.",
                    lambda _, ran: type(_heard(ran)) in (tuple, list) and any(type(e) is bytes for e in _heard(ran)),
                ),
                Mistake(
                    "the whole list",
                    "The answer is a list of pairs, as redis-py gives it. One pair is asked for: its first.",
                    lambda _, ran: _holds_pairs(_heard(ran)),
                ),
                Mistake(
                    "the name alone",
                    "The answer is the name alone. When it is due is asked for as well.",
                    lambda _, ran: type(_heard(ran)) is str,
                ),
                Mistake(
                    "another store",
                    "You found no entry, and the registry of the check was not read. Use the two arguments, conn and "
                    "queue: the check passes a store and a queue of its own.",
                    lambda _, ran: _heard(ran) is None and not ran.acts[0].heard.printed and not _reads_registry(ran),
                ),
                Mistake(
                    "nothing returned",
                    "The function returns nothing. What is printed is for people; the caller gets what `return` says.",
                    lambda _, ran: _heard(ran) is None,
                ),
            ),
            on_store=True,
        ),
        Test(
            "an empty registry",
            1,
            "For an empty registry the answer is None.",
            "Call your function with the name of a queue that has no registration.",
            (
                "What comes from the store when the registry has no entry, or is not there at all?",
                "Where does your function take the first of what came? Is there always a first?",
                "if not found: return None",
            ),
            _nothing,
            _ask,
            _judge_none,
            _given,
            simpler=_simpler,
            mistakes=(
                Mistake(
                    "an empty answer",
                    "Nothing is registered, and you answer something that is empty. The answer is None, so that a "
                    "caller can ask `is None`.",
                    lambda _, ran: _empty(_heard(ran)),
                ),
                Mistake(
                    "from the records",
                    "You name a record that has no entry in the registry. The pump never reads it: only the registry "
                    "says what runs next.",
                    lambda case, ran: bool(case.lone_record and _pair(_heard(ran))[0] == case.lone_record),
                ),
            ),
            on_store=True,
        ),
        Test(
            "reads only",
            1,
            "To look at the registry must not write to it.",
            "Look for the command that takes something out, even if another puts it back.",
            (
                "What does a pump see that sweeps at the instant when the entry is out?",
                "Which of your commands changes the registry?",
                "ZRANGE reads the lowest score; ZPOPMIN takes it away.",
            ),
            _one_due,
            _ask,
            _judge_reads,
            _given,
            simpler=_simpler,
            on_store=True,
        ),
        Test(
            "not due yet",
            1,
            "What the pump reads first is in the registry before it is due.",
            "Set the clock back to where nothing is due, and ask again.",
            (
                "Nothing is due. Is the registry empty, then?",
                "Does your answer depend on what time it is?",
                "No clock is needed: the lowest score of the sorted set is the earliest run, due or not.",
            ),
            _one_ahead,
            _ask,
            _judge_name,
            _given,
            simpler=_simpler,
            mistakes=(
                Mistake(
                    "only what is due",
                    "You answer only what is due by now. What the pump will read first is in the registry before that.",
                    lambda _, ran: _empty(_heard(ran)),
                ),
            ),
            on_store=True,
        ),
        Test(
            "no record",
            1,
            "The registry alone says what is read first, whatever rule made the score.",
            "Write an entry with a plain ZADD, as this notebook did with daily-slot, and ask again.",
            (
                "An entry that a plain ZADD made has no record. Does the pump read it?",
                "Where does your function look into a record?",
                "The registry's key is all that is needed: registry_key(queue), of echomq_lab.keyspace.",
            ),
            _one_without_record,
            _ask,
            _judge_name,
            _given,
            simpler=_simpler,
            mistakes=(
                Mistake(
                    "only with a record",
                    "You leave out an entry that has no record. The pump reads it like any other: a score is a score.",
                    lambda _, ran: _empty(_heard(ran)),
                ),
            ),
            on_store=True,
        ),
        Test(
            "value",
            1,
            "That is not the entry that the pump reads first, with its score.",
            "Put the registry's entries in a row by score, and those with the same score by name.",
            (
                "By what does a sorted set sort, and by what where that is the same?",
                "Which end of the sorted set do you read, and what stands beside the name there?",
                "ZRANGE key 0 0 WITHSCORES answers the member with the lowest score; the store settles ties by bytes.",
            ),
            _several,
            _ask,
            _judge_value,
            _given,
            simpler=_simpler,
            mistakes=(
                Mistake(
                    "the period",
                    "That is every_ms, the period on the record. The next run is the score in the registry.",
                    _period,
                ),
                Mistake(
                    "ties",
                    "These runs are due at the same millisecond. Then the bytes of the names decide, as the sorted set "
                    "has it: capitals come before small letters.",
                    lambda case, _: len({entry.score_ms for entry in case.entries}) == 1,
                ),
                Mistake(
                    "the highest score",
                    "You read from the far end: that is the entry with the highest score, the last to run.",
                    _names(lambda in_order: in_order[-1]),
                ),
                Mistake(
                    "by name",
                    "That is the first by name. The pump reads by score: the earliest run first, whatever its name.",
                    _names(lambda in_order: min(in_order, key=lambda entry: entry.name)),
                ),
            ),
            on_store=True,
        ),
    ),
)
