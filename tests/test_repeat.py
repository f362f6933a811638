"""The repeat verbs on both stores: what each answers, and what it leaves in the two keys of a registration."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from echomq_lab import jobs, pump, repeat
from echomq_lab.clock import FixedClock
from echomq_lab.errors import ReplyError
from echomq_lab.keyspace import record_key, registry_key
from echomq_lab.repeat import Due
from echomq_lab.store import Connection
from echomq_lab.trace import keys_of

EIGHT_FIFTY = 1_767_603_000_000
QUARTER = 900_000
DAILY = {"every_ms": "900000", "template": "{}"}


def held(conn: Connection, queue: str = "reports") -> dict[str, Any]:
    """What the queue's keys hold, by the part after `emq:{queue}:`."""
    prefix = f"emq:{{{queue}}}:"
    return {key.removeprefix(prefix): value for key, value in keys_of(conn.client, prefix).items()}


def put(conn: Connection, name: str, score: int | None = EIGHT_FIFTY, **record: str) -> None:
    """Write entry and record by hand, either or both."""
    if score is not None:
        conn.send("ZADD", registry_key("reports"), score, name)
    for field, value in record.items():
        conn.send("HSET", record_key("reports", name), field, value)


# ------------------------------------------------------------------------------------------- register: one per name


@pytest.mark.parametrize(
    ("first_in_ms", "first_run"),
    [((), EIGHT_FIFTY), ((0,), EIGHT_FIFTY), ((QUARTER,), EIGHT_FIFTY + QUARTER)],
    ids=["first_in_ms left out", "0", "900000"],
)
def test_register_writes_a_record_and_an_entry(conn: Connection, first_in_ms: tuple[int, ...], first_run: int) -> None:
    answer = repeat.register(conn, "reports", "daily", QUARTER, "{}", *first_in_ms)
    assert (answer, str(answer)) == (repeat.Registered.REGISTERED, "registered")
    assert held(conn) == {"repeat": [["daily", first_run]], "repeat:daily": DAILY}


def test_a_hundred_boots_leave_one_entry(conn: Connection) -> None:
    repeat.register(conn, "reports", "daily", QUARTER, "{}")
    before = held(conn)
    conn.clock.advance("3m")
    answers = {str(repeat.register(conn, "reports", "daily", 1, "other", 5)) for _ in range(100)}
    assert answers == {"exists"}
    assert held(conn) == before


def test_after_a_cancel_the_name_is_fresh(conn: Connection) -> None:
    repeat.register(conn, "reports", "daily", QUARTER, "{}")
    repeat.cancel(conn, "reports", "daily")
    assert str(repeat.register(conn, "reports", "daily", 7_000, "again")) == "registered"
    assert held(conn)["repeat:daily"] == {"every_ms": "7000", "template": "again"}


@pytest.mark.parametrize("queue", ["reports", "a: b", "日報", "\x00", "q*[x]?\\", "\udcff"], ids=ascii)
@pytest.mark.parametrize("name", ["a:b", "a{b}c", "a b", "dépôt-日本-🙂", 'a\r\nb"\\', "\x00\udcff\udcfe"], ids=ascii)
def test_queues_and_names_are_any_text(conn: Connection, queue: str, name: str) -> None:
    assert str(repeat.register(conn, queue, name, QUARTER, "t")) == "registered"
    assert repeat.due(conn, queue, 1) == [Due(name, "900000", "t")]
    assert held(conn, queue) == {
        "repeat": [[name, EIGHT_FIFTY]],
        f"repeat:{name}": {"every_ms": "900000", "template": "t"},
    }
    assert str(repeat.advance(conn, queue, name, 1)) == "advanced"
    assert str(repeat.cancel(conn, queue, name)) == "cancelled"
    assert held(conn, queue) == {}


@pytest.mark.parametrize(
    ("template", "comes_back"),
    [
        ("", ""),
        (b"", ""),
        ("日報", "日報"),
        (b"\xff\x00\xfe", "\udcff\x00\udcfe"),
        ("\udcff", "\udcff"),
        ("1e3", "1e3"),
    ],
    ids=ascii,
)
def test_a_template_comes_back_as_it_went(conn: Connection, template: str | bytes, comes_back: str) -> None:
    repeat.register(conn, "reports", "daily", QUARTER, template)
    assert repeat.due(conn, "reports", 1)[0].template == comes_back
    pump.sweep(conn, "reports")
    (job_id,) = jobs.browse(conn, "reports", 1)
    assert conn.send("HGET", f"emq:{{reports}}:job:{job_id}", "payload") == comes_back


@pytest.mark.parametrize("every_ms", [1, 2**53 - 1])
def test_the_record_keeps_the_exact_text_of_the_period(conn: Connection, every_ms: int) -> None:
    repeat.register(conn, "reports", "daily", every_ms, "")
    assert repeat.due(conn, "reports", 1)[0].every_ms == str(every_ms)


# -------------------------------------------------------------------------------------- cancel, advance, due, count


def test_cancel_removes_both_keys(conn: Connection) -> None:
    repeat.register(conn, "reports", "daily", QUARTER, "{}")
    assert str(repeat.cancel(conn, "reports", "daily")) == "cancelled"
    assert str(repeat.cancel(conn, "reports", "daily")) == "absent"
    assert held(conn) == {}


def test_advance_is_start_to_start_from_the_release(conn: Connection) -> None:
    """Three minutes late: the next run is fifteen minutes after the release, not after the score."""
    repeat.register(conn, "reports", "daily", QUARTER, "{}")
    conn.clock.set("08:53")
    answer = repeat.advance(conn, "reports", "daily", QUARTER)
    assert (answer, str(answer)) == (repeat.Advanced.ADVANCED, "advanced")
    assert held(conn)["repeat"] == [["daily", EIGHT_FIFTY + 3 * 60_000 + QUARTER]]


def test_advance_takes_the_callers_period_and_not_the_records(conn: Connection) -> None:
    repeat.register(conn, "reports", "daily", QUARTER, "{}")
    repeat.advance(conn, "reports", "daily", 1)
    assert held(conn) == {"repeat": [["daily", EIGHT_FIFTY + 1]], "repeat:daily": DAILY}


@pytest.mark.parametrize(("after_ms", "due"), [(-1, []), (0, ["daily"]), (1, ["daily"])])
def test_a_registration_is_due_from_its_millisecond_on(conn: Connection, after_ms: int, due: list[str]) -> None:
    put(conn, "daily", **DAILY)
    conn.clock.set(EIGHT_FIFTY + after_ms, back=True)
    assert [each.name for each in repeat.due(conn, "reports", 10)] == due


def test_due_is_oldest_first_and_ties_go_by_the_bytes_of_the_name(conn: Connection) -> None:
    for name in ["b", "a", "B", "é", "\udcff", "日", "aa", "10", "9"]:
        put(conn, name, **DAILY)
    put(conn, "older", EIGHT_FIFTY - 1, **DAILY)
    put(conn, "later", EIGHT_FIFTY + 1, **DAILY)
    names = [each.name for each in repeat.due(conn, "reports", 100)]
    assert names == ["older", "10", "9", "B", "a", "aa", "b", "é", "日", "\udcff"]
    assert names[1:] == sorted(names[1:], key=lambda name: name.encode("utf-8", "surrogateescape"))


@pytest.mark.parametrize(
    ("limit", "names"), [(1, ["a"]), (2, ["a", "b"]), (3, ["a", "b", "c"]), (2**63 - 1, list("abc"))]
)
def test_due_reads_up_to_its_limit(conn: Connection, limit: int, names: list[str]) -> None:
    for name in "abc":
        put(conn, name, **DAILY)
    before = held(conn)
    assert repeat.due(conn, "reports", limit) == [Due(name, "900000", "{}") for name in names]
    assert held(conn) == before


def test_count_is_the_size_of_the_registry(conn: Connection) -> None:
    sizes = [repeat.count(conn, "reports")]
    for name in ("a", "b", "a"):
        repeat.register(conn, "reports", name, QUARTER, "")
        sizes.append(repeat.count(conn, "reports"))
    assert sizes == [0, 1, 2, 2]
    assert repeat.count(conn, "another") == 0


# ------------------------------------------------------------------------------------------------------ half states


def test_a_record_without_an_entry_exists_and_never_fires(conn: Connection) -> None:
    put(conn, "half", score=None, **DAILY)
    assert str(repeat.register(conn, "reports", "half", 1, "x")) == "exists"
    assert repeat.due(conn, "reports", 10) == []
    assert pump.sweep(conn, "reports").fired == 0
    assert held(conn) == {"repeat:half": DAILY}


def test_cancel_of_a_record_without_an_entry_is_absent_and_deletes_it(conn: Connection) -> None:
    put(conn, "half", score=None, **DAILY)
    assert str(repeat.cancel(conn, "reports", "half")) == "absent"
    assert held(conn) == {}


def test_advance_puts_the_entry_of_a_record_back(conn: Connection) -> None:
    put(conn, "half", score=None, **DAILY)
    assert str(repeat.advance(conn, "reports", "half", QUARTER)) == "advanced"
    assert held(conn) == {"repeat": [["half", EIGHT_FIFTY + QUARTER]], "repeat:half": DAILY}


def test_register_of_an_entry_without_a_record_overwrites_its_score(conn: Connection) -> None:
    put(conn, "half", EIGHT_FIFTY - 5)
    assert str(repeat.register(conn, "reports", "half", QUARTER, "{}", 10)) == "registered"
    assert held(conn) == {"repeat": [["half", EIGHT_FIFTY + 10]], "repeat:half": DAILY}


@pytest.mark.parametrize(("verb", "answer"), [("cancel", "cancelled"), ("advance", "absent")])
def test_an_entry_without_a_record_is_removed(conn: Connection, verb: str, answer: str) -> None:
    put(conn, "half")
    period = [QUARTER] if verb == "advance" else []
    assert str(getattr(repeat, verb)(conn, "reports", "half", *period)) == answer
    assert held(conn) == {}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({}, Due("half", None, None)),
        ({"every_ms": "1"}, Due("half", "1", None)),
        ({"template": "x"}, Due("half", None, "x")),
        ({"every_ms": "soon", "template": "x"}, Due("half", "soon", "x")),
    ],
    ids=["no record", "no template", "no every_ms", "bad every_ms"],
)
def test_due_tells_what_the_record_lacks(conn: Connection, record: dict[str, str], expected: Due) -> None:
    put(conn, "half", **record)
    assert repeat.due(conn, "reports", 10) == [expected]


@pytest.mark.parametrize("verb", ["register", "cancel", "due", "advance", "count"])
def test_a_registry_of_another_type_is_a_reply_error(conn: Connection, verb: str) -> None:
    conn.send("SET", registry_key("reports"), "x")
    arguments = {
        "register": ["daily", QUARTER, ""],
        "cancel": ["daily"],
        "due": [1],
        "advance": ["daily", 1],
        "count": [],
    }[verb]
    if verb == "advance":
        put(conn, "daily", score=None, **DAILY)
    with pytest.raises(ReplyError, match=r"^WRONGTYPE Operation against a key holding the wrong kind of value"):
        getattr(repeat, verb)(conn, "reports", *arguments)


@pytest.mark.parametrize("verb", ["register", "cancel", "advance"])
def test_a_script_that_the_server_forgot_is_loaded_again(conn: Connection, verb: str) -> None:
    arguments = {"register": ["daily", QUARTER, ""], "cancel": ["daily"], "advance": ["daily", 1]}[verb]
    for _ in range(2):
        conn.send("SCRIPT", "FLUSH")
        getattr(repeat, verb)(conn, "reports", *arguments)


# -------------------------------------------------------------------------------------------- against a small model

NAMES = st.sampled_from(["a", "b", "B", "é"])
PERIODS = st.sampled_from([1, 60_000, QUARTER])


class Registry(RuleBasedStateMachine):
    """Any mix of verbs, hand-made half states and sweeps leaves what twenty lines of Python say."""

    conn: Connection

    @initialize()
    def open(self) -> None:
        self.conn.send("FLUSHALL")
        self.clock = FixedClock("08:50")
        self.conn.clock = self.clock
        self.entries: dict[str, int] = {}
        self.records: dict[str, tuple[int, str]] = {}
        self.payloads: list[str] = []

    def due_names(self, limit: int) -> list[str]:
        due = [(at_ms, name.encode(), name) for name, at_ms in self.entries.items() if at_ms <= self.clock.now_ms()]
        return [name for _, _, name in sorted(due)][:limit]

    @rule(span=st.sampled_from([1, 59_999, 60_000, 3_600_000]))
    def time_passes(self, span: int) -> None:
        self.clock.advance(span)

    @rule(name=NAMES, every_ms=PERIODS, template=st.sampled_from(["", "x"]), first_in_ms=st.sampled_from([0, 60_000]))
    def register(self, name: str, every_ms: int, template: str, first_in_ms: int) -> None:
        answer = repeat.register(self.conn, "q", name, every_ms, template, first_in_ms)
        assert str(answer) == ("exists" if name in self.records else "registered")
        if name not in self.records:
            self.records[name] = (every_ms, template)
            self.entries[name] = self.clock.now_ms() + first_in_ms

    @rule(name=NAMES)
    def cancel(self, name: str) -> None:
        assert str(repeat.cancel(self.conn, "q", name)) == ("cancelled" if name in self.entries else "absent")
        self.entries.pop(name, None)
        self.records.pop(name, None)

    @rule(name=NAMES, every_ms=PERIODS)
    def advance(self, name: str, every_ms: int) -> None:
        assert str(repeat.advance(self.conn, "q", name, every_ms)) == ("advanced" if name in self.records else "absent")
        if name in self.records:
            self.entries[name] = self.clock.now_ms() + every_ms
        else:
            self.entries.pop(name, None)

    @rule(name=NAMES)
    def the_record_is_lost(self, name: str) -> None:
        self.conn.send("DEL", record_key("q", name))
        self.records.pop(name, None)

    @rule(name=NAMES)
    def the_entry_is_lost(self, name: str) -> None:
        self.conn.send("ZREM", registry_key("q"), name)
        self.entries.pop(name, None)

    @precondition(lambda self: self.entries)
    @rule(batch=st.sampled_from([1, 2, 100]))
    def sweep(self, batch: int) -> None:
        due = self.due_names(batch)
        fired = [name for name in due if name in self.records]
        answer = pump.sweep(self.conn, "q", batch)
        assert (answer.promoted, answer.fired, answer.swept, answer.broken) == (
            0,
            len(fired),
            len(due) - len(fired),
            [],
        )
        for name in due:
            if name in fired:
                self.entries[name] = self.clock.now_ms() + self.records[name][0]
                self.payloads.append(self.records[name][1])
            else:
                del self.entries[name]

    def teardown(self) -> None:
        conn = self.conn
        limit = len(self.entries) + 1
        assert repeat.count(conn, "q") == len(self.entries)
        assert [each.name for each in repeat.due(conn, "q", limit)] == self.due_names(limit)
        expected: dict[str, Any] = {
            f"repeat:{name}": {"every_ms": str(every_ms), "template": template}
            for name, (every_ms, template) in self.records.items()
        }
        if self.entries:
            expected["repeat"] = [
                [name, at] for at, _, name in sorted((a, n.encode(), n) for n, a in self.entries.items())
            ]
        keys = held(conn, "q")
        assert {key: value for key, value in keys.items() if key.startswith("repeat")} == expected
        newest_first = jobs.browse(conn, "q", len(self.payloads) + 1)
        assert [keys[f"job:{job_id}"]["payload"] for job_id in reversed(newest_first)] == self.payloads


def test_the_registry_is_what_the_model_says(conn: Connection) -> None:
    run_state_machine_as_test(
        type("RegistryHere", (Registry,), {"conn": conn}),
        settings=settings(max_examples=60, stateful_step_count=25, suppress_health_check=list(HealthCheck)),
    )
