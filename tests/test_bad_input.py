"""Whatever is passed to a verb, a `LabError` is the worst that comes back, and then nothing was written.

A verb is called with one argument of any type and range in the place of a good one; what is good is answered.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from echomq_lab import ids, jobs, keyspace, pump, repeat, trace
from echomq_lab.clock import FixedClock
from echomq_lab.errors import ArgumentError, LabError
from echomq_lab.store import Connection, connect

JOB = "JOB0JgWEmSjNuz"
GOOD: dict[str, Any] = {
    "queue": "q",
    "name": "daily",
    "every_ms": 900_000,
    "template": "{}",
    "first_in_ms": 60_000,
    "limit": 10,
    "batch": 10,
    "n": 10,
    "job_id": JOB,
    "payload": "x",
    "run_at_ms": 1_767_603_000_000,
    "delay_ms": 60_000,
}
VERBS: list[Callable[..., Any]] = [
    repeat.register,
    repeat.cancel,
    repeat.due,
    repeat.advance,
    repeat.count,
    jobs.enqueue,
    jobs.enqueue_at,
    jobs.enqueue_in,
    jobs.promote,
    jobs.browse,
    jobs.pending_size,
    pump.sweep,
]
CASES = [(verb, name) for verb in VERBS for name in list(inspect.signature(verb).parameters)[1:]]

#: What no argument of any verb takes.
NEVER: list[Any] = [
    None,
    True,
    False,
    1.5,
    float("nan"),
    2j,
    [],
    {},
    (),
    set(),
    object(),
    bytearray(b"x"),
    Exception,
    len,
]
ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(2**53 - 3, 2**53 + 3),
    st.integers(2**63 - 3, 2**63 + 3),
    st.integers(-(2**63) - 3, -(2**63) + 3),
    st.floats(),
    st.decimals(),
    st.text(),
    st.text(st.characters(categories=["Cs", "Cc"]), max_size=4),
    st.text("{}q", max_size=4),
    st.binary(max_size=20),
    st.from_regex(r"[A-Za-z]{3}[0-9A-Za-z]{11}", fullmatch=True),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


class Rude:
    """Cannot be shown, compared, hashed or turned into text."""

    def _no(self, *_: object) -> Any:
        raise RuntimeError("no")

    __repr__ = __str__ = __eq__ = __hash__ = __lt__ = __bool__ = __len__ = __int__ = __index__ = _no


def held(conn: Connection) -> dict[str, Any]:
    return dict(trace.keys_of(conn.client, ""))


def named(case: object) -> str:
    return f"{case.__module__.rpartition('.')[2]}.{case.__name__}" if callable(case) else str(case)


def call(conn: Connection, verb: Callable[..., Any], name: str, value: object) -> None:
    """Call with `value` for the argument `name`; whatever is refused leaves the store as it was."""
    parameters = list(inspect.signature(verb).parameters)[1:]
    before = held(conn)
    try:
        verb(conn, *(value if each == name else GOOD[each] for each in parameters))
    except LabError:
        assert held(conn) == before


@pytest.mark.parametrize(("verb", "name"), CASES, ids=named)
def test_what_no_argument_takes_is_an_argument_error(conn: Connection, verb: Callable[..., Any], name: str) -> None:
    parameters = list(inspect.signature(verb).parameters)[1:]
    for value in [*NEVER, Rude()]:
        with pytest.raises(ArgumentError, match=r"^(queue|name|id|\w+_ms|template|payload|limit|batch|n) must be "):
            verb(conn, *(value if each == name else GOOD[each] for each in parameters))
    assert held(conn) == {}


@pytest.mark.parametrize(("verb", "name"), CASES, ids=named)
def test_anything_is_taken_or_refused(conn: Connection, verb: Callable[..., Any], name: str) -> None:
    @given(ANYTHING)
    @settings(max_examples=15)
    @example("JOB0JgWEmSjN\udcff1")
    @example("USR0JgWEmSjNuz")
    @example("\ud800")
    @example(10**5000)
    @example(2**53 - 1)
    @example(-(2**63))
    def try_it(value: object) -> None:
        call(conn, verb, name, value)

    try_it()


# Text that holds one thing and answers another, or nothing: what it holds is what is checked, written and sent.


class NoBraces(str):
    def __contains__(self, _: object) -> bool:
        return False


class Formatted(str):
    def __format__(self, _: str) -> str:
        return "FORGED"

    def __str__(self) -> str:
        return "FORGED"


class Encoded(str):
    def encode(self, *_: object) -> bytes:
        return b"FORGED"


class RudeText(str):
    def _no(self, *_: object) -> Any:
        raise RuntimeError("no")

    __contains__ = __format__ = __str__ = __repr__ = __eq__ = __bool__ = __len__ = __getitem__ = encode = _no
    __hash__ = str.__hash__


class Rudest(bytes):
    def _no(self, *_: object) -> Any:
        raise RuntimeError("no")

    __str__ = __repr__ = __eq__ = __bool__ = __len__ = __getitem__ = decode = _no
    __hash__ = bytes.__hash__


class Liar:
    """Says that it is text."""

    __class__ = property(lambda _: str)


TEXTS = ("queue", "name", "template", "job_id", "payload")


@pytest.mark.parametrize("kind", [NoBraces, Formatted, Encoded, RudeText], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(("verb", "name"), [case for case in CASES if case[1] in TEXTS], ids=named)
def test_text_is_what_it_holds(verb: Callable[..., Any], name: str, kind: type[str]) -> None:
    parameters = list(inspect.signature(verb).parameters)[1:]
    told = []
    for value in (GOOD[name], kind(GOOD[name])):
        with connect("embedded://fakeredis", clock=FixedClock("08:50")) as conn:
            verb(conn, *(value if each == name else GOOD[each] for each in parameters))
            told.append(held(conn))
    assert told[0] == told[1]


@pytest.mark.parametrize("kind", [NoBraces, Formatted, Encoded, RudeText], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(("name", "text"), [("queue", "a}{b"), ("queue", ""), ("name", ""), ("job_id", "no id")])
def test_bad_text_is_refused_whatever_it_says_of_itself(kind: type[str], name: str, text: str) -> None:
    verb = jobs.enqueue if name == "job_id" else repeat.register
    with connect("embedded://fakeredis", clock=FixedClock("08:50")) as conn:
        call(conn, verb, name, kind(text))
        assert held(conn) == {}
        call(conn, verb, name, Liar())
        assert held(conn) == {}


def test_bytes_are_what_they_hold(conn: Connection) -> None:
    assert str(repeat.register(conn, "q", "daily", 1, Rudest(b"{}"))) == "registered"
    assert repeat.record(conn, "q", "daily").template == "{}"


def test_an_id_is_what_it_holds() -> None:
    assert ids.parse(RudeText(JOB)) == ids.parse(JOB)
    assert ids.encode(RudeText("JOB"), ids.parse(JOB).snowflake) == JOB
    assert keyspace.slot(RudeText("123456789")) == 12739


class Untouchable:
    """A client that must not be used."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was asked of the client")


@pytest.mark.parametrize("verb", VERBS, ids=named)
def test_a_refusal_is_made_before_anything_is_sent(verb: Callable[..., Any]) -> None:
    conn = Connection(Untouchable(), FixedClock(), url="nowhere", node=0)
    parameters = list(inspect.signature(verb).parameters)[1:]
    for name in parameters:
        with pytest.raises(ArgumentError):
            verb(conn, *(None if each == name else GOOD[each] for each in parameters))


@pytest.mark.parametrize(
    ("call", "strategies"),
    [
        (ids.encode, 2),
        (ids.parse, 1),
        (keyspace.queue_key, 2),
        (keyspace.record_key, 2),
        (keyspace.job_key, 2),
        (keyspace.slot, 1),
    ],
    ids=named,
)
def test_ids_and_keys_are_made_or_refused(call: Callable[..., Any], strategies: int) -> None:
    @given(st.tuples(*[ANYTHING] * strategies))
    def try_it(values: tuple[object, ...]) -> None:
        with contextlib.suppress(LabError):
            call(*values)

    try_it()


@pytest.mark.parametrize(
    "value", [*NEVER[1:], 5, "08:50", b"08:50", FixedClock], ids=lambda value: type(value).__name__
)
def test_a_clock_is_a_clock(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"^clock must be a clock"):
        connect(clock=value)


@pytest.mark.parametrize(
    "value", [*NEVER[1:], 5, b"redis://h", "", "redis:/h", "h:1"], ids=lambda value: type(value).__name__
)
def test_a_url_is_a_url(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"^url must be "):
        connect(value)


@pytest.mark.parametrize("value", [*NEVER[1:], -1, 1024, "0"], ids=lambda value: type(value).__name__)
def test_a_node_is_a_node(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"^node must be "):
        connect(node=value)


@pytest.mark.parametrize("value", [*NEVER, "", "a}b"], ids=lambda value: type(value).__name__)
def test_a_trace_is_of_a_queue(conn: Connection, value: object) -> None:
    with pytest.raises(ArgumentError, match=r"^queue must be "), trace.record(conn, value):
        pass
    assert str(repeat.register(conn, "q", "daily", 1, "")) == "registered"


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: f"{verb.__module__.rpartition('.')[2]}.{verb.__name__}")
def test_what_is_no_connection_is_refused_with_the_way_to_one(verb: Callable[..., Any]) -> None:
    args = [
        GOOD[name] for name, each in list(inspect.signature(verb).parameters.items())[1:] if each.default is each.empty
    ]
    with connect("embedded://fakeredis", clock=FixedClock("08:50")) as conn:
        for wrong in (None, "q", conn.client, Connection):
            with pytest.raises(
                ArgumentError, match=r"^conn must be a connection, not .*; make one with conn = connect\(\)$"
            ):
                verb(wrong, *args)
        assert trace.keys_of(conn.client, "") == {}
