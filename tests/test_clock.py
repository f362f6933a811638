"""What time it is, and how the fixed clock is moved."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from echomq_lab.clock import LAB_DAY_MS, MAX_MS, FixedClock, SystemClock, instant_ms, iso, span_ms
from echomq_lab.errors import ArgumentError

EIGHT_FIFTY = 1_767_603_000_000
# fmt: off
NO_INSTANTS = [
    "", "noon", "24:00", "08:60", "8", "08:5", "08:50:61", "08:50 ", " 08:50", "08:50\n", "08:50\x00",
    "\u0660\u0668:\u0665\u0660", "\ud800", "2026-13-01", "2026-02-30", "2026-01-05T25:00",
    "2026-01-05x08:50", "2026-01-05508:50", "2026-01-05\n08:50", "2026-01-05t08:50",
    "1969-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-10:00",
    -1, MAX_MS + 1, True, None, 1.0, float("nan"), b"08:50", ["08:50"],
]
NO_SPANS = [
    "", "m", "15", "15 m", "15min", "-15m", "1.5h", "1h 30m", "15m\n", "\u0661\u0665m", "9" * 65 + "s", "9" * 60 + "d",
    -1, MAX_MS, True, None, 1.5, b"15m",
]
# fmt: on


@pytest.mark.parametrize(
    ("start", "stands_at"),
    [
        ("08:50", "2026-01-05T08:50:00.000Z"),
        ("8:50", "2026-01-05T08:50:00.000Z"),
        ("00:00", "2026-01-05T00:00:00.000Z"),
        ("23:59:59.999", "2026-01-05T23:59:59.999Z"),
        ("08:50:00.5", "2026-01-05T08:50:00.500Z"),
        ("2026-01-05T08:50:00Z", "2026-01-05T08:50:00.000Z"),
        ("2026-01-05T09:50:00+01:00", "2026-01-05T08:50:00.000Z"),
        ("2026-01-05T08:50", "2026-01-05T08:50:00.000Z"),
        ("2026-01-05 08:50", "2026-01-05T08:50:00.000Z"),
        ("2026-01-05", "2026-01-05T00:00:00.000Z"),
        ("2024-02-29T12:00:00.250Z", "2024-02-29T12:00:00.250Z"),
        (EIGHT_FIFTY, "2026-01-05T08:50:00.000Z"),
        (0, "1970-01-01T00:00:00.000Z"),
        (MAX_MS, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_fixed_clock_starts_where_it_is_told(start: str | int, stands_at: str) -> None:
    clock = FixedClock(start)
    assert iso(clock.now_ms()) == stands_at
    assert repr(clock) == f"FixedClock({stands_at!r})"


def test_it_starts_at_0850_of_the_labs_day_unless_told() -> None:
    assert FixedClock().now_ms() == EIGHT_FIFTY
    assert iso(LAB_DAY_MS) == "2026-01-05T00:00:00.000Z"


@pytest.mark.parametrize("start", NO_INSTANTS, ids=ascii)
def test_another_start_is_refused(start: object) -> None:
    with pytest.raises(ArgumentError, match=r"^start must be "):
        FixedClock(start)


def test_it_stands_still_until_it_is_moved() -> None:
    clock = FixedClock("08:50")
    assert {clock.now_ms() for _ in range(100)} == {EIGHT_FIFTY}
    assert clock.advance("15m") == clock.now_ms() == EIGHT_FIFTY + 900_000
    assert clock.set("10:00") == clock.now_ms() == EIGHT_FIFTY + 4_200_000
    assert clock.set("10:00") == clock.now_ms()


@pytest.mark.parametrize(
    ("span", "ms"),
    [
        ("250ms", 250),
        ("1s", 1_000),
        ("15m", 900_000),
        ("1h30m", 5_400_000),
        ("1d", 86_400_000),
        ("1d2h3m4s5ms", 93_784_005),
        ("0m", 0),
        ("090s", 90_000),
        (0, 0),
        (900_000, 900_000),
    ],
)
def test_a_span_is_milliseconds_or_text_with_units(span: str | int, ms: int) -> None:
    clock = FixedClock("08:50")
    assert span_ms(span) == ms
    assert clock.advance(span) == EIGHT_FIFTY + ms


@pytest.mark.parametrize("span", NO_SPANS, ids=ascii)
def test_another_span_is_refused_and_the_clock_stays(span: object) -> None:
    clock = FixedClock("08:50")
    with pytest.raises(ArgumentError, match=r"^span must be "):
        clock.advance(span)
    assert clock.now_ms() == EIGHT_FIFTY


def test_it_refuses_to_go_back_unless_told() -> None:
    clock = FixedClock("08:50")
    with pytest.raises(ArgumentError) as caught:
        clock.set("08:49")
    assert str(caught.value) == (
        "to must be at or after the clock's 2026-01-05T08:50:00.000Z, not '08:49'; "
        "run the setup cell again to start over, or pass back=True to turn the clock back"
    )
    assert clock.now_ms() == EIGHT_FIFTY
    assert clock.set("08:49", back=True) == clock.now_ms() == EIGHT_FIFTY - 60_000


@given(st.lists(st.one_of(st.integers(0, 10**12), st.integers(-(10**12), -1)), max_size=30))
@example([0, -1, 1])
def test_whatever_is_asked_the_clock_never_goes_back(moves: list[int]) -> None:
    clock = FixedClock("08:50")
    for move in moves:
        before = clock.now_ms()
        if move >= 0:
            assert clock.advance(move) == clock.set(before + move) == before + move
        else:
            with pytest.raises(ArgumentError):
                clock.advance(move)
            with pytest.raises(ArgumentError):
                clock.set(before + move)
            assert clock.now_ms() == before


@given(st.integers(0, MAX_MS))
@example(0)
@example(MAX_MS)
def test_an_instant_and_its_iso_text_are_the_same(ms: int) -> None:
    assert instant_ms(iso(ms)) == instant_ms(ms) == ms


@given(st.one_of(st.text(), st.integers(), st.floats(), st.binary(), st.booleans(), st.none(), st.datetimes()))
@example("0001-01-01T00:00+23:59")
@example("+0100")
@example(10**5000)
@example(-(10**5000))
def test_anything_else_is_an_instant_or_an_argument_error(value: object) -> None:
    for read in (instant_ms, span_ms):
        try:
            ms = read(value)
        except ArgumentError:
            continue
        assert type(ms) is int
        assert ms >= 0


def test_a_span_beyond_the_calendar_is_refused() -> None:
    clock = FixedClock("08:50")
    with pytest.raises(ArgumentError, match=r"^span must be no further than 9999-12-31"):
        clock.advance(10**5000)
    assert clock.now_ms() == EIGHT_FIFTY


def test_the_system_clock_is_the_machines() -> None:
    before, now, after = time.time_ns() // 1_000_000, SystemClock().now_ms(), time.time_ns() // 1_000_000
    assert before <= now <= after
    assert type(now) is int
