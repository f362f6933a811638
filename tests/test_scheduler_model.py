"""Programs of every verb, with keys broken between them: the store answers and holds what the plain model does.

After each step the whole content of the queue's keys is compared. Nothing but a `LabError` may be raised.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from echomq_lab import jobs, pump, repeat
from echomq_lab.clock import FixedClock
from echomq_lab.errors import ArgumentError
from echomq_lab.keyspace import queue_key
from echomq_lab.store import Connection
from echomq_lab.trace import keys_of
from tests.long_counts import PROGRAMS, tenth
from tests.scheduler_model import MOST, Hash, Model, SortedSet, told

Q = "q"
NAMES = ["a", "b", "日", "c:d"]
names = st.sampled_from(NAMES)
#: Names that a registry or a record may hold: the empty one too, which no verb writes.
held_names = st.sampled_from([*NAMES, ""])
periods = st.sampled_from([1, 1_000, 900_000, MOST])
delays = st.sampled_from([0, 1, 1_000, 900_000, MOST])
texts = st.sampled_from(["", "{}", "日報", "\x00\udcff\r\n"])
limits = st.integers(1, 4)
#: One of the ids that were met, the newest first; when there is none yet, a fresh one.
numbers = st.integers(0, 5)
kinds = st.sampled_from(
    [
        "repeat",
        "pending",
        "schedule",
        "active",
        "meta",
        "metrics:completed",
        *(f"repeat:{name}" for name in [*NAMES, ""]),
    ]
)
#: As another hand may have written them; EchoMQ's host reads some.
ODD_PERIODS = ["", "0", "-5", "soon", "5.0", "5e3", " 5", "5\n", "\u0665", "+5000", "0005000", "+0", "9" * 40]
ODD_PERIODS += [str(MOST), str(MOST + 1)]
odd_periods = st.sampled_from(ODD_PERIODS)
OTHERS: dict[str, tuple[list[str | int], Any]] = {
    "string": (["SET", "x"], "x"),
    "list": (["RPUSH", "x"], ["x"]),
    "set": (["SADD", "x"], {"x"}),
    "zset": (["ZADD", 0, "x"], SortedSet(x=0.0)),
    "hash": (["HSET", "x", "1"], Hash(x="1")),
}


class Scheduler(RuleBasedStateMachine):
    """A queue in a store and its model, side by side."""

    def __init__(self, conn: Connection) -> None:
        super().__init__()
        conn.send("FLUSHALL")
        # A clock and a minter of its own, so that a program repeats.
        self.clock = FixedClock("08:50")
        self.conn = conn.another(clock=self.clock)
        self.model = Model(self.conn.now_ms())
        self.ids: list[str] = []

    def agree(self, real: Callable[[], Any], plain: Callable[[], Any]) -> Any:
        answer, expected = told(real), told(plain)
        assert answer == expected
        return answer

    def fresh(self) -> str:
        self.ids.append(self.conn.mint())
        return self.ids[-1]

    def met(self, number: int) -> str:
        return self.ids[-1 - number % len(self.ids)] if self.ids else self.fresh()

    def held(self) -> dict[str, Any]:
        prefix = queue_key(Q, "")
        return {key.removeprefix(prefix): value for key, value in keys_of(self.conn.client, prefix).items()}

    @invariant()
    def store_and_model_hold_the_same(self) -> None:
        assert self.held() == self.model.held()

    # ------------------------------------------------------------------------------------------------- registrations

    @rule(name=names, every_ms=periods, template=texts, first_in_ms=delays)
    def register(self, name: str, every_ms: int, template: str, first_in_ms: int) -> None:
        self.agree(
            lambda: repeat.register(self.conn, Q, name, every_ms, template, first_in_ms),
            lambda: self.model.register(name, every_ms, template, first_in_ms),
        )

    @rule(name=names)
    def cancel(self, name: str) -> None:
        self.agree(lambda: repeat.cancel(self.conn, Q, name), lambda: self.model.cancel(name))

    @rule(name=names, every_ms=periods)
    def advance(self, name: str, every_ms: int) -> None:
        self.agree(
            lambda: repeat.advance(self.conn, Q, name, every_ms),
            lambda: self.model.advance(name, every_ms),
        )

    @rule(limit=limits)
    def read(self, limit: int) -> None:
        self.agree(lambda: repeat.due(self.conn, Q, limit), lambda: self.model.due(limit))
        self.agree(lambda: repeat.count(self.conn, Q), self.model.count)
        self.agree(lambda: repeat.backlog(self.conn, Q), self.model.backlog)
        self.agree(lambda: jobs.browse(self.conn, Q, limit), lambda: self.model.browse(limit))
        self.agree(lambda: jobs.pending_size(self.conn, Q), self.model.pending_size)

    # ------------------------------------------------------------------------------------------------------ the pump

    @rule(batch=limits)
    def sweep(self, batch: int) -> None:
        self.swept("sweep", batch)

    @rule(batch=limits)
    def sweep_atomic(self, batch: int) -> None:
        self.swept("sweep_atomic", batch)

    def swept(self, way: str, batch: int) -> None:
        """The ids are the host's to mint: the model is given those that appeared, in mint order, and uses them up."""
        before = set(self.held())

        def real() -> tuple[int, int, int, list[str]]:
            done = getattr(pump, way)(self.conn, Q, batch)
            return done.promoted, done.fired, done.swept, done.broken

        answer = told(real)
        rows = {key.removeprefix("job:") for key in set(self.held()) - before if key.startswith("job:")}
        fresh = sorted(rows - {*self.ids, "x"})  # promoted, "x" of `OTHERS` gets a row too
        assert fresh == [] or self.ids == [] or fresh[0] > max(self.ids)
        minted = iter(fresh)
        assert answer == told(lambda: getattr(self.model, way)(batch, minted))
        assert list(minted) == []
        self.ids += fresh

    # ---------------------------------------------------------------------------------------------------------- jobs

    @rule(payload=texts)
    def enqueue(self, payload: str) -> None:
        job_id = self.fresh()
        self.agree(lambda: jobs.enqueue(self.conn, Q, job_id, payload), lambda: self.model.enqueue(job_id, payload))

    @rule(number=numbers, payload=texts)
    def enqueue_again(self, number: int, payload: str) -> None:
        job_id = self.met(number)
        self.agree(lambda: jobs.enqueue(self.conn, Q, job_id, payload), lambda: self.model.enqueue(job_id, payload))

    @rule(again=st.booleans(), number=numbers, payload=texts, offset=st.integers(-2, 2))
    def enqueue_at(self, again: bool, number: int, payload: str, offset: int) -> None:
        job_id, run_at_ms = self.met(number) if again else self.fresh(), self.model.now_ms + offset
        self.agree(
            lambda: jobs.enqueue_at(self.conn, Q, job_id, payload, run_at_ms),
            lambda: self.model.enqueue_at(job_id, payload, run_at_ms),
        )

    @rule(again=st.booleans(), number=numbers, payload=texts, delay_ms=delays)
    def enqueue_in(self, again: bool, number: int, payload: str, delay_ms: int) -> None:
        job_id = self.met(number) if again else self.fresh()
        self.agree(
            lambda: jobs.enqueue_in(self.conn, Q, job_id, payload, delay_ms),
            lambda: self.model.enqueue_in(job_id, payload, delay_ms),
        )

    @rule()
    def enqueue_what_is_no_job(self) -> None:
        job_id = self.conn.mint("USR")
        for verb, more in (("enqueue", ()), ("enqueue_at", (0,)), ("enqueue_in", (0,))):
            self.agree(
                lambda verb=verb, more=more: getattr(jobs, verb)(self.conn, Q, job_id, "", *more),
                lambda verb=verb, more=more: getattr(self.model, verb)(job_id, "", *more),
            )

    @rule(batch=limits)
    def promote(self, batch: int) -> None:
        self.agree(lambda: jobs.promote(self.conn, Q, batch), lambda: self.model.promote(batch))

    @rule(lease_ms=periods)
    def claim(self, lease_ms: int) -> None:
        self.agree(lambda: jobs.claim(self.conn, Q, lease_ms), lambda: self.model.claim(lease_ms))

    @rule(number=numbers, token=st.integers(0, 2))
    def complete(self, number: int, token: int) -> None:
        job_id = self.met(number)
        self.agree(lambda: jobs.complete(self.conn, Q, job_id, token), lambda: self.model.complete(job_id, token))

    @rule(lease_ms=periods)
    def claim_and_complete(self, lease_ms: int) -> None:
        job = self.agree(lambda: jobs.claim(self.conn, Q, lease_ms), lambda: self.model.claim(lease_ms))
        if isinstance(job, tuple) and job[0] in self.ids:
            self.agree(
                lambda: jobs.complete(self.conn, Q, job[0], job[2]),
                lambda: self.model.complete(job[0], job[2]),
            )

    # ----------------------------------------------------------------------------------- the clock, and what is refused

    @rule(span=st.sampled_from([1, 999, 1_000, 900_000, 3_600_000]))
    def later(self, span: int) -> None:
        self.model.now_ms = self.clock.advance(span)

    @rule(span=st.sampled_from([1, 1_000, 900_000]))
    def clock_back(self, span: int) -> None:
        self.model.now_ms = self.clock.set(self.model.now_ms - span, back=True)

    @rule(
        verb=st.sampled_from(
            [
                lambda conn: repeat.register(conn, "a}b", "a", 1, ""),
                lambda conn: repeat.register(conn, Q, "", 1, ""),
                lambda conn: repeat.register(conn, Q, "a", 0, ""),
                lambda conn: repeat.register(conn, Q, "a", MOST + 1, ""),
                lambda conn: repeat.register(conn, Q, "a", 1, None),
                lambda conn: repeat.register(conn, Q, "a", 1, "", -1),
                lambda conn: repeat.advance(conn, Q, "a", 0),
                lambda conn: repeat.due(conn, Q, 0),
                lambda conn: pump.sweep(conn, Q, 0),
                lambda conn: pump.sweep_atomic(conn, Q, 0),
                lambda conn: jobs.enqueue(conn, Q, "JOBzzzzzzzzzzz", ""),
                lambda conn: jobs.enqueue_in(conn, Q, "JOB0KHTOWnGLuC", "", -1),
                lambda conn: jobs.promote(conn, Q, 0),
                lambda conn: jobs.claim(conn, Q, 0),
                lambda conn: jobs.complete(conn, Q, "JOB0KHTOWnGLuC", -1),
            ]
        )
    )
    def ask_what_is_refused(self, verb: Callable[[Connection], Any]) -> None:
        assert told(lambda: verb(self.conn)) is ArgumentError

    # --------------------------------------------------------------------------------------------- broken on purpose

    @rule(kind=kinds, other=st.sampled_from(list(OTHERS)))
    def another_type(self, kind: str, other: str) -> None:
        (command, *words), held = OTHERS[other]
        self.gone(kind)
        self.conn.send(command, queue_key(Q, kind), *words)
        self.model.keys[kind] = deepcopy(held)

    @rule(number=numbers, other=st.sampled_from(list(OTHERS)))
    def row_of_another_type(self, number: int, other: str) -> None:
        self.another_type(f"job:{self.met(number)}", other)

    @rule(kind=kinds)
    def gone(self, kind: str) -> None:
        self.conn.send("DEL", queue_key(Q, kind))
        self.model.keys.pop(kind, None)

    @rule(number=numbers)
    def row_gone(self, number: int) -> None:
        self.gone(f"job:{self.met(number)}")

    @rule(name=held_names, offset=st.sampled_from([-1, 0, 1, 0.5, float("inf"), float("-inf")]))
    def member(self, name: str, offset: float) -> None:
        """An entry moved, or one without a record."""
        if isinstance(self.model.keys.get("repeat", SortedSet()), SortedSet):
            self.conn.send("ZADD", queue_key(Q, "repeat"), self.model.now_ms + offset, name)
            self.model.keys.setdefault("repeat", SortedSet())[name] = float(self.model.now_ms + offset)

    @rule(name=held_names)
    def member_gone(self, name: str) -> None:
        """A record without an entry."""
        if isinstance(self.model.keys.get("repeat"), SortedSet):
            self.conn.send("ZREM", queue_key(Q, "repeat"), name)
            self.model.keys["repeat"].pop(name, None)

    @rule(name=held_names, period=odd_periods)
    def another_period(self, name: str, period: str) -> None:
        self.set_field(f"repeat:{name}", "every_ms", period)

    @rule(name=held_names, period=odd_periods, template=texts)
    def due_with_another_period(self, name: str, period: str, template: str) -> None:
        self.set_field(f"repeat:{name}", "every_ms", period)
        self.set_field(f"repeat:{name}", "template", template)
        self.member(name, -1)

    @rule(name=held_names, field=st.sampled_from(["every_ms", "template"]))
    def field_gone(self, name: str, field: str) -> None:
        if isinstance(self.model.keys.get(f"repeat:{name}"), Hash):
            self.conn.send("HDEL", queue_key(Q, f"repeat:{name}"), field)
            self.model.keys[f"repeat:{name}"].pop(field, None)

    @rule(number=numbers, attempts=st.sampled_from(["2", "many", ""]))
    def other_attempts(self, number: int, attempts: str) -> None:
        self.set_field(f"job:{self.met(number)}", "attempts", attempts)

    @rule()
    def pause(self) -> None:
        self.set_field("meta", "paused", "1")

    def set_field(self, key: str, field: str, value: str) -> None:
        if isinstance(self.model.keys.get(key, Hash()), Hash):
            self.conn.send("HSET", queue_key(Q, key), field, value)
            self.model.keys.setdefault(key, Hash())[field] = value


@pytest.mark.parametrize("programs", [tenth(PROGRAMS), pytest.param(PROGRAMS, marks=pytest.mark.soak)])
def test_store_and_model_agree_after_every_step(conn: Connection, programs: int) -> None:
    run_state_machine_as_test(lambda: Scheduler(conn), settings=settings(max_examples=programs, stateful_step_count=40))


#: Programs worth keeping, each a row of (rule, *arguments): half states, and what a script leaves where a key of
#: another type stops it.
KEPT = {
    "a member without a record is registered anew": [
        ("member", "a", -1),
        ("read", 2),
        ("register", "a", 1_000, "{}", 1),
        ("later", 1),
        ("sweep", 2),
    ],
    "a record without a member exists, and an advance puts it back": [
        ("register", "a", 1_000, "{}", 0),
        ("member_gone", "a"),
        ("register", "a", 1, "", 0),
        ("sweep_atomic", 2),
        ("advance", "a", 1),
        ("later", 1),
        ("sweep_atomic", 2),
        ("member_gone", "a"),
        ("cancel", "a"),
    ],
    "a registry of another type: the record is written, then refused": [
        ("another_type", "repeat", "string"),
        ("register", "a", 1_000, "{}", 0),
        ("advance", "a", 1),
        ("cancel", "a"),
        ("read", 2),
        ("enqueue_at", False, 0, "one-shot", 0),
        ("sweep", 2),
        ("sweep_atomic", 2),
        ("gone", "repeat"),
        ("register", "a", 1_000, "{}", 0),
    ],
    "a pending of another type: the faithful sweep leaves a row for each try, the atomic one nothing": [
        ("register", "a", 1_000, "{}", 0),
        ("register", "b", 1_000, "{}", 0),
        ("another_type", "pending", "list"),
        ("sweep_atomic", 2),
        ("sweep", 2),
        ("sweep", 2),
        ("gone", "pending"),
        ("sweep_atomic", 2),
    ],
    "a pending of another type: a job that is promoted leaves schedule and comes nowhere": [
        ("enqueue_at", False, 0, "one-shot", 0),
        ("another_type", "pending", "hash"),
        ("promote", 2),
        ("gone", "pending"),
        ("promote", 2),
        ("claim", 1_000),
    ],
    "a schedule of another type: nothing is promoted, the rest of the sweep goes on": [
        ("another_type", "schedule", "set"),
        ("enqueue_in", False, 0, "one-shot", 0),
        ("register", "a", 1_000, "{}", 0),
        ("sweep", 2),
        ("later", 1_000),
        ("sweep_atomic", 2),
    ],
    "a schedule whose member is no id: it is promoted, and a row made for it": [
        ("another_type", "schedule", "zset"),
        ("register", "a", 1_000, "{}", 0),
        ("sweep", 2),
        ("claim_and_complete", 1_000),
        ("another_type", "schedule", "zset"),
        ("sweep_atomic", 2),
    ],
    "every kind of broken record in one batch": [
        *(("register", name, 1_000, name, 0) for name in NAMES),
        ("field_gone", "a", "template"),
        ("another_period", "b", "soon"),
        ("another_type", "repeat:日", "zset"),
        ("read", 4),
        ("sweep_atomic", 4),
        ("sweep", 4),
        ("another_period", "b", "+5000"),
        ("sweep_atomic", 4),
    ],
    "each odd period, to both sweeps": [
        step
        for period in ODD_PERIODS
        for step in [
            ("due_with_another_period", "a", period, "{}"),
            ("sweep", 1),
            ("member", "a", 0),
            ("sweep_atomic", 1),
        ]
    ],
    "a row of another type: the job that is claimed leaves pending and comes nowhere": [
        ("enqueue", "x"),
        ("row_of_another_type", 0, "string"),
        ("enqueue_again", 0, "x"),
        ("claim", 1_000),
        ("complete", 0, 1),
        ("row_gone", 0),
        ("complete", 0, 1),
    ],
    "attempts that are no number": [
        ("enqueue", "x"),
        ("other_attempts", 0, "many"),
        ("claim", 1_000),
        ("complete", 0, 0),
    ],
    "an active of another type": [
        ("enqueue", "x"),
        ("another_type", "active", "list"),
        ("claim", 1_000),
        ("complete", 0, 1),
        ("gone", "active"),
        ("complete", 0, 1),
    ],
    "metrics of another type: the job is done, and the count refused": [
        ("enqueue", "x"),
        ("another_type", "metrics:completed", "list"),
        ("claim_and_complete", 1_000),
        ("complete", 0, 1),
    ],
    "token 0 completes a pending job, and its id can be used again": [
        ("enqueue", "x"),
        ("complete", 0, 0),
        ("enqueue_again", 0, "y"),
        ("row_gone", 0),
        ("claim", 1_000),
        ("complete", 0, 1),
    ],
    "the empty name, which no verb writes, is broken": [
        ("member", "", -1),
        ("read", 2),
        ("sweep", 2),
        ("sweep_atomic", 2),
        ("another_period", "", "1000"),
        ("member", "a", float("-inf")),
        ("read", 2),
        ("sweep", 2),
        ("sweep_atomic", 2),
    ],
    "the clock goes back: what was due is not, and ids go on": [
        ("register", "a", 1_000, "{}", 0),
        ("sweep", 2),
        ("clock_back", 900_000),
        ("sweep", 2),
        ("register", "b", 1_000, "{}", 0),
        ("sweep_atomic", 2),
    ],
    "a score above 2^53 is told as the double that it is": [
        ("register", "a", MOST, "{}", 0),
        ("register", "b", 1_000, "{}", MOST),
        ("sweep", 2),
        ("clock_back", 1),
        ("member", "a", -1),
        ("sweep_atomic", 2),
    ],
}


@pytest.mark.parametrize("program", KEPT.values(), ids=KEPT)
def test_the_programs_worth_keeping(conn: Connection, program: list[tuple[Any, ...]]) -> None:
    scheduler = Scheduler(conn)
    for name, *words in program:
        getattr(scheduler, name)(*words)
        scheduler.store_and_model_hold_the_same()
