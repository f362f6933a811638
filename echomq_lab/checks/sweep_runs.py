"""Sweeps of a student's on a store: registrations set up, one call, and what of it is compared with the pump's own.

Ids are told apart from what they stand for: a job is its row and its place in `pending`, whatever its id.

Source: exercises, 3.3; wire contract, "The pump".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from echomq_lab import pump
from echomq_lab.checks import instants
from echomq_lab.checks.desk import CONN, MINT, QUEUE, THE_QUEUE, Desk, Keys, Raised, Ran, Word, call
from echomq_lab.checks.pupil import Here
from echomq_lab.clock import LAB_DAY_MS
from echomq_lab.ids import EPOCH_MS, encode
from echomq_lab.keyspace import job_key, queue_key, record_key, registry_key
from echomq_lab.store import Connection
from echomq_lab.wording import span

#: From one sweep to the next.
TICK_MS = 1_000
#: What a job row and its place in `pending` are, the id aside.
Job = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """A registration: when its run is due, its period, its template; `record` says whether it still has one."""

    name: str
    due_ms: int
    every_ms: int
    template: str
    record: bool = True

    def told(self, now_ms: int) -> str:
        """The registration in words, as seen from now."""
        off = self.due_ms - now_ms
        due = "due now" if off == 0 else f"due since {span(-off)}" if off < 0 else f"due in {span(off)}"
        record = f"every {span(self.every_ms)}, template {self.template}" if self.record else "its record is gone"
        return f"{self.name}: {due}; {record}"


@dataclass(frozen=True, slots=True)
class SweepCase:
    """What stands in the queue when it is swept: registrations, and so many jobs that wait already."""

    now_ms: int
    entries: tuple[Entry, ...]
    batch: int = 100
    waiting: int = 0

    def told(self) -> str:
        """The case in words, a line for each registration."""
        lines = [f"sweep(conn, queue, now_ms, mint, {self.batch}) at {instants.say(self.now_ms)}"]
        lines += [each.told(self.now_ms) for each in self.entries]
        return "\n".join(lines + [f"pending before: {self.waiting}"] * bool(self.waiting))

    def commands(self) -> list[tuple[Word, ...]]:
        """The commands that set it up."""
        told: list[tuple[Word, ...]] = []
        for each in self.entries:
            told.append(("ZADD", registry_key(QUEUE), each.due_ms, each.name))
            if each.record:
                key = record_key(QUEUE, each.name)
                told.append(("HSET", key, "every_ms", each.every_ms, "template", each.template))
        for number in range(self.waiting):
            earlier = encode("JOB", (LAB_DAY_MS - EPOCH_MS << 22) + number)
            told.append(("HSET", job_key(QUEUE, earlier), "state", "pending", "attempts", 0, "payload", "earlier"))
            told.append(("ZADD", queue_key(QUEUE, "pending"), 0, earlier))
        return told


@dataclass(frozen=True, slots=True)
class Kills:
    """The same sweep killed before its first command, its second and so on; each time the next tick sweeps again."""

    whole: Ran
    killed: tuple[Ran, ...]

    @property
    def errors(self) -> tuple[Raised, ...]:
        """What went wrong in the student's code, kills aside."""
        return (*self.whole.errors, *(each for ran in self.killed for each in ran.errors))


def ask(desk: Desk, case: SweepCase) -> Ran:
    """Sweeps once."""
    return desk.run(case.commands(), [_sweep(case)], now_ms=case.now_ms)


#: A sweep of a few registrations sends far less; what sends more is not killed everywhere.
_MOST_KILLS = 40


def ask_killed(desk: Desk, case: SweepCase) -> Kills:
    """Sweeps once in peace, to see how many commands go out, and then once for each of them, killed before it."""
    whole = ask(desk, case)
    sent = min(whole.acts[0].sent, _MOST_KILLS)
    after = replace(case, now_ms=case.now_ms + TICK_MS)
    killed = [
        desk.run(case.commands(), [_sweep(case, kill_before=number), _sweep(after)], now_ms=case.now_ms)
        for number in range(1, sent + 1)
    ]
    return Kills(whole, tuple(killed))


def _sweep(case: SweepCase, **when: int) -> dict[str, Any]:
    return call("sweep", CONN, THE_QUEUE, case.now_ms, MINT, case.batch, now_ms=case.now_ms, **when)


@cache
def expected(case: SweepCase) -> Ran:
    """What the pump's own sweep does in a case."""
    return ask(_library(), case)


@cache
def _library() -> Desk:
    def sweep(conn: Connection, queue: str, _: int, __: object, batch: int) -> int:
        return pump.sweep(conn, queue, batch).fired

    return Desk(Here({"sweep": sweep}))


def jobs(ran: Ran) -> dict[str, Job]:
    """The jobs that are new after a run's last act: their rows, their scores in `pending`, None for what is not there.

    What is no job but was written where one would be is among them.
    """
    before, after = ran.before, ran.acts[-1].after
    rows, places = _rows(after), _places(after)
    known = _rows(before).keys() | _places(before).keys()
    return {
        each: (rows.get(each), places.get(each)) for each in sorted(rows.keys() | places.keys()) if each not in known
    }


def entry(keys: Keys, name: str) -> int | float | None:
    """The score of a name in the registry, None where it is not there."""
    held = keys.get(registry_key(QUEUE))
    found: int | float | None = next((each[1] for each in _members(held) if each[0] == name), None)
    return found


def _rows(keys: Keys) -> dict[str, Any]:
    prefix = queue_key(QUEUE, "job:")
    return {key.removeprefix(prefix): held for key, held in keys.items() if key.startswith(prefix)}


def _places(keys: Keys) -> dict[str, Any]:
    return {str(each[0]): each[1] for each in _members(keys.get(queue_key(QUEUE, "pending")))}


def _members(held: Any) -> Sequence[Any]:
    """The members of a sorted set, each with its score; none of what is no sorted set."""
    return [each for each in held if type(each) is list and len(each) == 2] if type(held) is list else []


def moved(case: SweepCase, ran: Ran) -> list[str]:
    """The names whose entry is no longer what it was."""
    return [each.name for each in case.entries if entry(ran.acts[-1].after, each.name) != each.due_ms]
