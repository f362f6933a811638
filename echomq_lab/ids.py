"""Branded ids: three capitals and a snowflake in eleven base62 digits, sorting by bytes in mint order.

    JOB 0KHTOWnGLuC     namespace, then (unix_ms - 2024-01-01) << 22 | node << 12 | sequence

Source: wire contract, "Branded ids".
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import Final, NamedTuple

from echomq_lab.arguments import whole
from echomq_lab.clock import Clock, iso, reading_ms, takes_clock
from echomq_lab.errors import ArgumentError, plain

#: 2024-01-01T00:00:00Z, where snowflakes begin.
EPOCH_MS: Final = 1_704_067_200_000
MAX_SNOWFLAKE: Final = 2**63 - 1
MAX_NODE: Final = 1023

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUE = {digit: value for value, digit in enumerate(_ALPHABET)}
#: Two digits at a time: half the divisions.
_PAIRS = [high + low for high in _ALPHABET for low in _ALPHABET]
_NAMESPACE = re.compile(r"[A-Z]{3}")
_ID = re.compile(r"[A-Z]{3}[0-9A-Za-z]{11}")
_NODE_BITS, _SEQUENCE_BITS = 10, 12
_SEQUENCES = 1 << _SEQUENCE_BITS
_MAX_TICK = MAX_SNOWFLAKE >> _NODE_BITS
#: 2093-09-06T15:47:35.551Z, the last millisecond that an id can be minted in.
LAST_MS: Final = EPOCH_MS + _MAX_TICK // _SEQUENCES


class Branded(NamedTuple):
    """A branded id taken apart; `unix_ms` is the millisecond it was minted in, by the minter's clock."""

    namespace: str
    snowflake: int
    unix_ms: int
    node: int
    sequence: int


class Minter:
    """Mints ids that never repeat and never go back, from any number of threads.

    In the millisecond of the last mint, or when the clock has gone back, the next id takes the last
    (millisecond, sequence) plus one. Two minters that share a clock and a node mint the same ids: give each its own
    node, 0 to 1023.
    """

    def __init__(self, clock: Clock, node: int = 0) -> None:
        takes_clock(clock)
        self._clock = clock
        self._node = whole("node", node, 0, MAX_NODE, "a whole number")
        self._lock = threading.Lock()
        # Milliseconds since the epoch and sequence in one number. EchoMQ starts the cell at sequence 0 of the
        # current millisecond, so the first id of that millisecond takes sequence 1.
        self._last = max((reading_ms(clock) - EPOCH_MS) * _SEQUENCES, -1)

    def mint(self, namespace: str = "JOB") -> str:
        """A fresh id. Raises `ArgumentError` when the clock stands outside 2024-01-01 to 2093-09-06."""
        return self.mint_many(1, namespace)[0]

    def mint_many(self, count: int, namespace: str = "JOB") -> list[str]:
        """So many fresh ids, those that as many calls of `mint` in one millisecond answer. Raises as `mint`."""
        namespace = _checked_namespace(namespace)
        return [
            namespace + _digits(snowflake)
            for snowflake in self._snowflakes(whole("count", count, 0, _MAX_TICK, "a whole number"))
        ]

    def snowflake(self) -> int:
        """A fresh snowflake, larger than every one before it."""
        return self._snowflakes(1)[0]

    def _snowflakes(self, count: int) -> list[int]:
        with self._lock:
            now_ms = reading_ms(self._clock)
            first = max((now_ms - EPOCH_MS) * _SEQUENCES, self._last + 1)
            if now_ms < EPOCH_MS or first + count - 1 > _MAX_TICK:
                raise ArgumentError(
                    "the clock", iso(now_ms), "between 2024-01-01 and 2093-09-06 to mint an id", "move the lab clock"
                )
            self._last = first + count - 1
        node = self._node << _SEQUENCE_BITS
        return [
            tick >> _SEQUENCE_BITS << _NODE_BITS + _SEQUENCE_BITS | node | tick & _SEQUENCES - 1
            for tick in range(first, first + count)
        ]


def encode(namespace: str, snowflake: int) -> str:
    """The branded id of a snowflake, 0 to 2^63 - 1. Raises `ArgumentError`."""
    namespace = _checked_namespace(namespace)
    return namespace + _digits(whole("snowflake", snowflake, 0, MAX_SNOWFLAKE, "a whole number"))


def parse(branded: str) -> Branded:
    """Take a branded id apart. Raises `ArgumentError` for anything that is not one."""
    branded = plain(branded)
    if type(branded) is str and _ID.fullmatch(branded):
        snowflake = 0
        for digit in branded[3:]:
            snowflake = snowflake * 62 + _VALUE[digit]
        if snowflake <= MAX_SNOWFLAKE:
            tick, sequence = divmod(snowflake, _SEQUENCES)
            ms, node = divmod(tick, MAX_NODE + 1)
            return Branded(branded[:3], snowflake, EPOCH_MS + ms, node, sequence)
    raise ArgumentError(
        "id", branded, "a branded id: three capitals and eleven base62 digits", "try 'JOB0KHTOWnGLuC', or mint one"
    )


def checked(branded: str) -> str:
    """A branded id as plain text. Raises as `parse`."""
    text: str = plain(branded)
    # Digits sort as their numbers do, so the largest id tells without taking this one apart.
    if type(text) is not str or not _ID.fullmatch(text) or text[3:] > _digits(MAX_SNOWFLAKE):
        parse(branded)
    return text


def _checked_namespace(namespace: str) -> str:
    text = plain(namespace)
    if type(text) is not str or not _NAMESPACE.fullmatch(text):
        raise ArgumentError("namespace", text, "three capital letters", "jobs have 'JOB'")
    return text


def _digits(snowflake: int) -> str:
    """Eleven base62 digits. Ids of a batch differ in the last four, so the seven before are kept."""
    before, last = divmod(snowflake, 62**4)
    high, low = divmod(last, 62**2)
    return _seven_digits(before) + _PAIRS[high] + _PAIRS[low]


@lru_cache(maxsize=16)
def _seven_digits(value: int) -> str:
    first, left = divmod(value, 62**6)
    high, low = divmod(left, 62**2)
    higher, high = divmod(high, 62**2)
    return _ALPHABET[first] + _PAIRS[higher] + _PAIRS[high] + _PAIRS[low]
