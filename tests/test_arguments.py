"""The checks that every verb makes before a command is built."""

from collections.abc import Callable
from enum import Enum, StrEnum

import pytest

from echomq_lab import arguments
from echomq_lab.errors import ArgumentError

EXACT = 2**53 - 1
INT64 = 2**63 - 1
NO_INTS = [None, True, False, 1.0, float("nan"), "1", b"1", [1], 1j]


@pytest.mark.parametrize(
    ("check", "least", "most"),
    [
        (arguments.period_ms, 1, EXACT),
        (arguments.delay_ms, 0, EXACT),
        (arguments.run_at, -INT64 - 1, INT64),
        (arguments.how_many, 1, INT64),
    ],
)
def test_a_number_is_an_int_in_its_range(check: object, least: int, most: int) -> None:
    assert callable(check)
    for value in (least, least + 1, most):
        assert check("thing", value) == value
    for value in (least - 1, most + 1, -(10**5000), *NO_INTS):
        with pytest.raises(ArgumentError, match=rf"^thing must be .* from {least} to {most}, not ") as caught:
            check("thing", value)
        assert (caught.value.thing, caught.value.value) == ("thing", value) or value != value


@pytest.mark.parametrize("value", ["daily", " ", "\x00", "a:b{c}", "日報", "\udcff", "x" * 10_000], ids=len)
def test_a_name_is_any_text(value: str) -> None:
    assert arguments.name("name", value) == value


@pytest.mark.parametrize("value", ["", b"daily", None, 1, ["daily"]], ids=ascii)
def test_a_name_is_not_empty(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"^name must be non-empty text, not .*; try 'daily-report'$"):
        arguments.name("name", value)


@pytest.mark.parametrize("value", ["\ud800", "a\udfff"], ids=ascii)
@pytest.mark.parametrize("check", [arguments.text, arguments.name, arguments.content])
def test_text_can_be_sent(check: Callable[[str, object], object], value: str) -> None:
    with pytest.raises(ArgumentError, match=r"^thing must be text that can be sent, not .*; a lone surrogate"):
        check("thing", value)


class Plain(StrEnum):
    DAILY = "daily"


class Mixed(str, Enum):  # noqa: UP042
    DAILY = "daily"


@pytest.mark.parametrize("member", [Plain.DAILY, Mixed.DAILY])
def test_a_name_from_an_enum_is_its_value_wherever_it_is_written(member: str) -> None:
    assert f"{arguments.name('name', member)}" == "daily"


@pytest.mark.parametrize("value", ["", "{}", "日報", "\udcff", b"", b"\xff\x00", "\x00"], ids=ascii)
def test_a_content_is_text_or_bytes(value: str | bytes) -> None:
    assert arguments.content("template", value) is value


@pytest.mark.parametrize(
    "value",
    [None, 1, True, {}, [], bytearray(b"x"), memoryview(b"x")],
    ids=lambda value: type(value).__name__,
)
def test_a_content_of_another_type_is_refused(value: object) -> None:
    with pytest.raises(ArgumentError, match=r"^template must be text or bytes, not .*; json.dumps"):
        arguments.content("template", value)
