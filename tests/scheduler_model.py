"""The scheduler as plain Python: what each verb of the wire contract answers, and what it leaves in the queue's keys.

Written from the rows of the contract ("Keys", "Verbs", "The pump", "Edges"), and from nothing of the library's. A key
of another type refuses the command that meets it, as a server does; what a script wrote before that command stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from echomq_lab.errors import KindError, LabError, ReplyError, StaleError

MOST = 2**53 - 1


class SortedSet(dict[str, float]):
    """Member -> score."""

    def in_order(self) -> list[tuple[str, float]]:
        return sorted(self.items(), key=lambda pair: (pair[1], pair[0].encode("utf-8", "surrogateescape")))


class Hash(dict[str, str]):
    """Field -> value."""


Kind = TypeVar("Kind", SortedSet, Hash)


class Model:
    """One queue. `keys` holds what each of its keys does, by the part after `emq:{q}:`; `now_ms` is moved from outside.

    A verb answers what the library's answers, as text where that is an enum, or raises the `LabError` that it raises.
    """

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        self.keys: dict[str, Any] = {}

    def held(self) -> dict[str, Any]:
        """The keys as `trace.keys_of` tells them: an empty key is no key."""
        told: dict[str, Any] = {}
        for key, value in self.keys.items():
            if isinstance(value, SortedSet):
                told[key] = [
                    [member, int(score) if score.is_integer() else score] for member, score in value.in_order()
                ]
            else:
                told[key] = sorted(value) if isinstance(value, set) else value
        return {key: value for key, value in told.items() if value}

    # ------------------------------------------------------------------------------------------------- registrations

    def register(self, name: str, every_ms: int, template: str, first_in_ms: int) -> str:
        if self._exists(f"repeat:{name}"):
            return "exists"
        self._open(f"repeat:{name}", Hash).update(every_ms=str(every_ms), template=template)
        self._open("repeat", SortedSet)[name] = float(self.now_ms + first_in_ms)
        return "registered"

    def cancel(self, name: str) -> str:
        member = self._open("repeat", SortedSet).pop(name, None)
        self.keys.pop(f"repeat:{name}", None)
        return "absent" if member is None else "cancelled"

    def due(self, limit: int) -> list[tuple[str, str | None, str | None]]:
        return [(name, *self._record(name)) for name in self._due_names(limit)]

    def advance(self, name: str, every_ms: int) -> str:
        if not self._exists(f"repeat:{name}"):
            self._open("repeat", SortedSet).pop(name, None)
            return "absent"
        self._open("repeat", SortedSet)[name] = float(self.now_ms + every_ms)
        return "advanced"

    def count(self) -> int:
        return len(self._open("repeat", SortedSet))

    def backlog(self) -> tuple[int, int]:
        """How many are due, and by how much the first is late; a score before 1970 counts as 1970."""
        due = self._due_names(MOST)
        return len(due), self.now_ms - int(max(self.keys["repeat"][due[0]], 0)) if due else 0

    # ---------------------------------------------------------------------------------------------------------- jobs

    def enqueue(self, job_id: str, payload: str) -> str:
        if not self._fresh_row(job_id, "pending", payload):
            return "duplicate"
        self._open("pending", SortedSet)[job_id] = 0.0
        return "enqueued"

    def enqueue_at(self, job_id: str, payload: str, run_at_ms: int) -> str:
        if not self._fresh_row(job_id, "scheduled", payload):
            return "duplicate"
        self._open("schedule", SortedSet)[job_id] = float(run_at_ms)
        return "scheduled"

    def enqueue_in(self, job_id: str, payload: str, delay_ms: int) -> str:
        return self.enqueue_at(job_id, payload, self.now_ms + delay_ms)

    def promote(self, batch: int) -> int:
        due = [id_ for id_, score in self._open("schedule", SortedSet).in_order() if score <= self.now_ms][:batch]
        for job_id in due:
            del self._open("schedule", SortedSet)[job_id]
            self._open("pending", SortedSet)[job_id] = 0.0
            self._open(f"job:{job_id}", Hash)["state"] = "pending"
        return len(due)

    def claim(self, lease_ms: int) -> tuple[str, str | None, int] | None:
        if "paused" in self._open("meta", Hash):
            return None
        pending = self._open("pending", SortedSet)
        if not pending:
            return None
        job_id = pending.in_order()[0][0]
        del pending[job_id]
        row = self._open(f"job:{job_id}", Hash)
        attempts = row.get("attempts", "0")
        if not attempts.isdecimal():
            raise ReplyError("ERR hash value is not an integer")
        row["attempts"] = str(int(attempts) + 1)
        row["state"] = "active"
        self._open("active", SortedSet)[job_id] = float(self.now_ms + lease_ms)
        return job_id, row.get("payload"), int(row["attempts"])

    def complete(self, job_id: str, token: int) -> str:
        attempts = self._open(f"job:{job_id}", Hash).get("attempts")
        if attempts is None:
            return "gone"
        if attempts != str(token):
            raise StaleError("EMQSTALE")
        if self._open("active", SortedSet).pop(job_id, None) is None:
            self._open("pending", SortedSet).pop(job_id, None)
        del self.keys[f"job:{job_id}"]
        completed = self._open("metrics:completed", Hash)
        completed["count"] = str(int(completed.get("count", "0")) + 1)
        return "ok"

    def browse(self, n: int) -> list[str]:
        return [job_id for job_id, _ in reversed(self._open("pending", SortedSet).in_order())][:n]

    def pending_size(self) -> int:
        return len(self._open("pending", SortedSet))

    # ------------------------------------------------------------------------------------------------------ the pump

    def sweep(self, batch: int, ids: Iterator[str]) -> tuple[int, int, int, list[str]]:
        """What it promoted, fired, swept, and the broken names. An occurrence that is refused stands alone."""
        return self._swept(batch, ids, all_or_nothing=False)

    def sweep_atomic(self, batch: int, ids: Iterator[str]) -> tuple[int, int, int, list[str]]:
        """The same answer, but where an occurrence would be refused nothing is done for any."""
        return self._swept(batch, ids, all_or_nothing=True)

    def _swept(self, batch: int, ids: Iterator[str], *, all_or_nothing: bool) -> tuple[int, int, int, list[str]]:
        try:
            promoted = self.promote(batch)
        except ReplyError:
            promoted = 0
        fired = swept = 0
        broken = []
        names = self._due_names(batch)
        if names and all_or_nothing:
            self._open("pending", SortedSet)
        for name in names:
            try:
                every_ms, template = self._record(name)
            except ReplyError:
                broken.append(name)
                continue
            if name == "":  # no verb writes it, so no verb can move it on
                broken.append(name)
            elif every_ms is None or template is None:
                self.cancel(name)
                swept += 1
            elif (period := whole_period(every_ms)) is None:
                broken.append(name)
            else:
                fired += self._fire(name, period, template, next(ids))
        return promoted, fired, swept, broken

    # -------------------------------------------------------------------------------------------------- single steps

    def _due_names(self, limit: int) -> list[str]:
        entries = self._open("repeat", SortedSet).in_order()
        return [name for name, score in entries if score <= self.now_ms][:limit]

    def _fire(self, name: str, every_ms: int, template: str, job_id: str) -> bool:
        try:
            self.enqueue(job_id, template)
            self.advance(name, every_ms)
        except ReplyError:
            return False
        return True

    def _record(self, name: str) -> tuple[str | None, str | None]:
        record = self._open(f"repeat:{name}", Hash)
        return record.get("every_ms"), record.get("template")

    def _fresh_row(self, job_id: str, state: str, payload: str) -> bool:
        if not job_id.startswith("JOB"):
            raise KindError("EMQKIND")
        if self._exists(f"job:{job_id}"):
            return False
        self._open(f"job:{job_id}", Hash).update(state=state, attempts="0", payload=payload)
        return True

    def _exists(self, key: str) -> bool:
        return bool(self.keys.get(key))

    def _open(self, key: str, kind: type[Kind]) -> Kind:
        held = self.keys.get(key) or kind()
        if not isinstance(held, kind):
            raise ReplyError("WRONGTYPE")
        self.keys[key] = held
        return held


def whole_period(every_ms: str) -> int | None:
    """A positive integer as EchoMQ's host reads one, up to 2^53 - 1."""
    digits = every_ms.removeprefix("+")
    if not (digits.isascii() and digits.isdecimal()):
        return None
    return int(digits) if 1 <= int(digits) <= MOST else None


def told(call: Callable[[], Any]) -> Any:
    """What a verb answers, as plain values, or the class of the `LabError` that it raises."""
    try:
        answer = call()
    except LabError as error:
        return type(error)
    return answer
