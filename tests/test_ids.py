"""Branded ids: EchoMQ's own vectors, and a minter that never repeats and never goes back."""

import base64
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from echomq_lab import ids
from echomq_lab.clock import FixedClock, SystemClock, iso
from echomq_lab.errors import ArgumentError
from echomq_lab.ids import EPOCH_MS, MAX_SNOWFLAKE, Minter

VECTORS = json.loads((Path(__file__).parent / "data" / "echomq_golden.json").read_text(encoding="utf-8"))["vectors"]
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
LAST_MS = EPOCH_MS + (MAX_SNOWFLAKE >> 22)
NAMESPACES = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=3, max_size=3)
SNOWFLAKES = st.integers(0, MAX_SNOWFLAKE)


class Hand:
    """A clock that is put anywhere."""

    def __init__(self, ms: int) -> None:
        self.ms = ms

    def now_ms(self) -> int:
        return self.ms


# ------------------------------------------------------------------------------------------------------ the vectors


@pytest.mark.parametrize("vector", VECTORS["branded_pairs"], ids=lambda vector: vector["id"])
def test_a_snowflake_and_its_id(vector: dict[str, Any]) -> None:
    snowflake = int(vector["snowflake"])
    assert ids.encode(vector["namespace"], snowflake) == vector["id"]
    assert ids.parse(vector["id"]) == (
        vector["namespace"],
        snowflake,
        vector["unix_ms"],
        vector["node"],
        vector["sequence"],
    )


@pytest.mark.parametrize(
    ("namespace", "snowflake", "branded"),
    [
        ("USR", 274557032793636864, "USR0KHTOWnGLuC"),
        ("USR", 320636799581945856, "USR0NgWEfAEJfs"),
        ("JOB", 0, "JOB00000000000"),
        ("JOB", MAX_SNOWFLAKE, "JOBAzL8n0Y58m7"),
    ],
)
def test_the_contracts_ids(namespace: str, snowflake: int, branded: str) -> None:
    assert ids.encode(namespace, snowflake) == branded
    assert ids.parse(branded)[:2] == (namespace, snowflake)


def _text(value: str | dict[str, str]) -> str:
    if isinstance(value, dict):
        return base64.b64decode(value["b64"]).decode("utf-8", "surrogateescape")
    return value


@pytest.mark.parametrize("vector", VECTORS["decode"], ids=lambda vector: ascii(_text(vector["id"])))
def test_what_echomq_refuses_to_parse_is_refused(vector: dict[str, Any]) -> None:
    assert (vector["parse"], vector["valid"]) == (":error", False)
    with pytest.raises(ArgumentError, match=r"^id must be a branded id"):
        ids.parse(_text(vector["id"]))


@pytest.mark.parametrize("vector", VECTORS["encode_errors"], ids=lambda vector: ascii(vector["namespace"]))
def test_what_echomq_refuses_to_encode_is_refused(vector: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match=r"^(namespace|snowflake) must be "):
        ids.encode(vector["namespace"], int(vector["snowflake"]))


@pytest.mark.parametrize(
    "branded",
    ["JOBzzzzzzzzzzz", "JOBAzL8n0Y58m8", "ＪＯＢ00000000000", "JOB0000000000٠", None, 5, b"JOB00000000000", ["J"]],  # noqa: RUF001
    ids=ascii,
)
def test_what_is_no_id_is_refused(branded: object) -> None:
    with pytest.raises(ArgumentError, match=r"^id must be a branded id"):
        ids.parse(branded)


@pytest.mark.parametrize("snowflake", [-1, MAX_SNOWFLAKE + 1, True, 1.0, "1", None], ids=ascii)
def test_what_is_no_snowflake_is_refused(snowflake: object) -> None:
    with pytest.raises(ArgumentError, match=r"^snowflake must be a whole number from 0 to 9223372036854775807"):
        ids.encode("JOB", snowflake)


@given(NAMESPACES, SNOWFLAKES)
@example("JOB", MAX_SNOWFLAKE)
def test_an_id_tells_its_snowflake(namespace: str, snowflake: int) -> None:
    branded = ids.encode(namespace, snowflake)
    parsed = ids.parse(branded)
    assert (parsed.namespace, parsed.snowflake) == (namespace, snowflake)
    assert ((parsed.unix_ms - EPOCH_MS) << 22 | parsed.node << 12 | parsed.sequence) == snowflake


@given(NAMESPACES, st.text(ALPHABET, min_size=11, max_size=11))
def test_a_snowflake_has_one_id(namespace: str, digits: str) -> None:
    try:
        parsed = ids.parse(namespace + digits)
    except ArgumentError:
        assert digits > "AzL8n0Y58m7"
    else:
        assert ids.encode(namespace, parsed.snowflake) == namespace + digits


@given(SNOWFLAKES, SNOWFLAKES)
def test_ids_sort_by_bytes_as_snowflakes_do(one: int, other: int) -> None:
    assert (ids.encode("JOB", one).encode() < ids.encode("JOB", other).encode()) == (one < other)


# ------------------------------------------------------------------------------------------------------- the minter


def test_the_first_id_of_the_starting_millisecond_has_sequence_1() -> None:
    clock = FixedClock("08:50")
    minter = Minter(clock, node=5)
    assert [ids.parse(minter.mint())[2:] for _ in range(2)] == [(clock.now_ms(), 5, 1), (clock.now_ms(), 5, 2)]
    clock.advance(1)
    assert ids.parse(minter.mint())[2:] == (clock.now_ms(), 5, 0)


def test_the_carry_as_echomq_does_it() -> None:
    vector = VECTORS["snowflake"]["carry"]
    clock = Hand(EPOCH_MS + 60_000)
    minter = Minter(clock, node=5)
    for _ in range(4094):
        minter.mint()
    clock.ms = EPOCH_MS
    minted = [ids.parse(minter.mint()) for _ in range(3)]
    assert [[each.unix_ms - EPOCH_MS - 60_000, each.node, each.sequence] for each in minted] == vector["got"]


@given(
    st.integers(0, 1023),
    st.lists(st.tuples(st.integers(EPOCH_MS, LAST_MS - 10), st.integers(1, 40)), min_size=1, max_size=12),
)
@example(0, [(EPOCH_MS, 4096), (EPOCH_MS, 1)])
@example(1023, [(EPOCH_MS + 5, 4095), (EPOCH_MS, 2), (EPOCH_MS + 6, 3)])
def test_whatever_the_clock_does_ids_only_rise(node: int, moves: list[tuple[int, int]]) -> None:
    """The model: the last (ms, sequence) plus one, or the clock's (ms, 0), whichever is later."""
    clock = Hand(moves[0][0])
    minter = Minter(clock, node)
    ms, sequence = clock.ms, 0
    minted = []
    for clock.ms, count in moves:
        for _ in range(count):
            ms, sequence = max((ms + (sequence + 1) // 4096, (sequence + 1) % 4096), (clock.ms, 0))
            minted.append(minter.mint())
            assert ids.parse(minted[-1])[2:] == (ms, node, sequence)
    assert minted == sorted(set(minted), key=str.encode)


def test_threads_share_a_minter() -> None:
    minter = Minter(SystemClock())
    start = threading.Barrier(8)
    minted: list[list[str]] = [[] for _ in range(8)]

    def mint(mine: list[str]) -> None:
        start.wait()
        mine.extend(minter.mint() for _ in range(2000))

    threads = [threading.Thread(target=mint, args=(mine,)) for mine in minted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each for mine in minted for each in mine}) == 16_000
    assert all(mine == sorted(mine) for mine in minted)


def test_two_minters_with_a_clock_and_a_node_in_common_mint_the_same() -> None:
    one, other, third = Minter(FixedClock()), Minter(FixedClock()), Minter(FixedClock(), node=1)
    assert one.mint() == other.mint() != third.mint()


@pytest.mark.parametrize("ms", [0, EPOCH_MS - 1, LAST_MS + 1], ids=iso)
def test_no_id_is_minted_outside_the_snowflakes_years(ms: int) -> None:
    minter = Minter(FixedClock(ms))
    with pytest.raises(ArgumentError, match="between 2024-01-01 and 2093-09-06 to mint an id"):
        minter.mint()


def test_the_last_snowflake_is_minted_and_no_other() -> None:
    minter = Minter(FixedClock(LAST_MS), node=1023)
    minted = [minter.mint() for _ in range(4095)]
    assert ids.parse(minted[-1]).snowflake == MAX_SNOWFLAKE
    with pytest.raises(ArgumentError, match="to mint an id"):
        minter.mint()


@pytest.mark.parametrize("node", [-1, 1024, True, 1.0, "1", None], ids=ascii)
def test_a_node_is_0_to_1023(node: object) -> None:
    with pytest.raises(ArgumentError, match=r"^node must be a whole number from 0 to 1023"):
        Minter(FixedClock(), node)


@pytest.mark.parametrize("namespace", ["job", "JO", "JOBS", "", "J B", "ÉÉÉ", None, 3], ids=ascii)
def test_a_namespace_is_three_capitals(namespace: object) -> None:
    minter = Minter(FixedClock())
    with pytest.raises(ArgumentError, match=r"^namespace must be three capital letters"):
        minter.mint(namespace)


@pytest.mark.parametrize("clock", [None, "08:50", FixedClock], ids=["None", "text", "class"])
def test_a_minter_wants_a_clock(clock: object) -> None:
    with pytest.raises(ArgumentError, match=r"^clock must be a clock, not .*; try FixedClock\('08:50'\)$"):
        ids.Minter(clock)


def test_the_last_millisecond_mints_and_the_one_after_it_does_not() -> None:
    assert ids.parse(ids.Minter(FixedClock(ids.LAST_MS)).mint()).unix_ms == ids.LAST_MS
    with pytest.raises(ArgumentError, match=r"^the clock must be between 2024-01-01 and 2093-09-06 to mint an id"):
        ids.Minter(FixedClock(ids.LAST_MS + 1)).mint()
