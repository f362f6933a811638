"""Key names, their slots, and what builds no key."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomq_lab import keyspace, trace
from echomq_lab.errors import ArgumentError
from echomq_lab.store import connect

VECTORS = json.loads((Path(__file__).parent / "data" / "echomq_golden.json").read_text(encoding="utf-8"))["vectors"]
NAMES = ["reports", "a:b", "a b", "\x00", "日報", "q*[x]?\\", "\udcff", "x" * 500]


@pytest.mark.parametrize("vector", VECTORS["slots"], ids=lambda vector: ascii(vector["key"]))
def test_the_slot_is_that_of_the_cluster(vector: dict[str, str | int]) -> None:
    assert keyspace.slot(str(vector["key"])) == vector["slot"] == vector["valkey_cluster_keyslot"]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (keyspace.queue_key("q1", "pending"), "emq:{q1}:pending"),
        (keyspace.queue_key("q1", ""), "emq:{q1}:"),
        (keyspace.registry_key("reports"), "emq:{reports}:repeat"),
        (keyspace.record_key("reports", "daily"), "emq:{reports}:repeat:daily"),
        (keyspace.record_key("reports", "a{b}:c"), "emq:{reports}:repeat:a{b}:c"),
        (keyspace.job_key("q1", "JOB0KHTOWnGLuC"), "emq:{q1}:job:JOB0KHTOWnGLuC"),
        (keyspace.job_key("q1", "USR0KHTOWnGLuC"), "emq:{q1}:job:USR0KHTOWnGLuC"),
    ],
)
def test_a_key_is_named_as_in_echomq(key: str, expected: str) -> None:
    assert key == expected


@pytest.mark.parametrize("queue", NAMES, ids=ascii)
def test_all_keys_of_a_queue_share_a_slot(queue: str) -> None:
    slots = {
        keyspace.slot(key)
        for key in (
            keyspace.queue_key(queue, "pending"),
            keyspace.registry_key(queue),
            keyspace.record_key(queue, "a}{b"),
            keyspace.job_key(queue, "JOB0KHTOWnGLuC"),
        )
    }
    assert slots == {keyspace.slot(queue)}


@given(st.text(), st.text())
def test_a_queue_either_keeps_its_slot_or_is_refused(queue: str, kind: str) -> None:
    try:
        key = keyspace.queue_key(queue, kind)
    except ArgumentError:
        assert not queue or "{" in queue or "}" in queue
    else:
        assert keyspace.slot(key) == keyspace.slot(queue)


@pytest.mark.parametrize("queue", ["", "a}b", "{a", "{}", None, 1, True, b"reports", ["q"]], ids=ascii)
def test_a_queue_name_that_would_break_the_hashtag_is_refused(queue: object) -> None:
    with pytest.raises(ArgumentError, match=r"^queue must be non-empty text.*; try 'reports'$"):
        keyspace.queue_key(queue, "repeat")


@pytest.mark.parametrize("name", ["", None, 1, True, b"daily", ["daily"]], ids=ascii)
def test_a_registration_name_is_any_text_but_none(name: object) -> None:
    with pytest.raises(ArgumentError, match=r"^name must be non-empty text"):
        keyspace.record_key("q", name)


@pytest.mark.parametrize("call", [keyspace.queue_key, keyspace.record_key])
@pytest.mark.parametrize("names", [("\ud800", "daily"), ("reports", "\ud800")], ids=ascii)
def test_a_lone_surrogate_is_in_no_key(call: Callable[[str, str], str], names: tuple[str, str]) -> None:
    with pytest.raises(ArgumentError, match=r"^(queue|kind|name) must be text that can be sent"):
        call(*names)


@pytest.mark.parametrize("kind", [None, 1, b"pending"], ids=ascii)
def test_a_kind_of_key_is_text(kind: object) -> None:
    with pytest.raises(ArgumentError, match=r"^kind must be text, not .*; try 'pending'$"):
        keyspace.queue_key("reports", kind)
    with pytest.raises(ArgumentError, match=r"^kind must be text"):
        trace.Trace("reports").changes(kind)


@pytest.mark.parametrize(
    "job_id", ["", "JOB", "job0KHTOWnGLuC", "JOB0KHTOWnGLu}", "JOBzzzzzzzzzzz", None, 5], ids=ascii
)
def test_what_is_no_id_builds_no_key(job_id: object) -> None:
    with pytest.raises(ArgumentError, match=r"^id must be a branded id"):
        keyspace.job_key("q", job_id)


@pytest.mark.parametrize("key", [None, b"key", 1, "\ud800"], ids=ascii)
def test_a_slot_is_of_text(key: object) -> None:
    with pytest.raises(ArgumentError, match=r"^key must be text"):
        keyspace.slot(key)


def test_the_server_finds_the_same_slots(valkey_url: str) -> None:
    with connect(valkey_url) as conn:
        for key in map(keyspace.registry_key, NAMES):
            assert conn.send("CLUSTER", "KEYSLOT", key) == keyspace.slot(key)
