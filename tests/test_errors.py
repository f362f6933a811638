"""An error is a hint, and the builtin that it is."""

import copy
import pickle

import pytest

from echomq_lab.errors import (
    ArgumentError,
    CronError,
    KindError,
    LabError,
    ReplyError,
    StaleError,
    StoreError,
    shown,
)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (ArgumentError, ValueError),
        (CronError, ValueError),
        (KindError, ValueError),
        (StaleError, LookupError),
        (StoreError, ConnectionError),
        (ReplyError, RuntimeError),
    ],
)
def test_every_error_is_a_lab_error_and_a_builtin(error: type[Exception], builtin: type[Exception]) -> None:
    assert issubclass(error, LabError)
    assert issubclass(error, builtin)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            ArgumentError("batch", True, "a whole number from 1", "try 100"),
            "batch must be a whole number from 1, not True (bool); try 100",
        ),
        (ArgumentError("name", "", "non-empty text"), "name must be non-empty text, not ''"),
        (ArgumentError("name", None, "non-empty text"), "name must be non-empty text, not None"),
    ],
)
def test_an_argument_error_tells_thing_value_allowed_and_hint(error: ArgumentError, message: str) -> None:
    assert str(error) == message


def test_a_notebook_shows_the_message_alone() -> None:
    assert StoreError("no store answers")._render_traceback_() == ["StoreError: no store answers"]


@pytest.mark.parametrize(
    "error",
    [
        ArgumentError("batch", 0, "a whole number", "try 100"),
        CronError("minute '75' is out of range", field="minute", token="75", position=0, repair="15 * * * *"),
        KindError("EMQKIND"),
        StoreError("gone"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_survives_the_way_to_another_process(error: LabError) -> None:
    for other in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert vars(other) == vars(error)


class Rudest(type):
    @property
    def __name__(cls) -> str:
        raise RuntimeError("no")


class Nameless(metaclass=Rudest):
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Rude:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Forged(str):
    def __repr__(self) -> str:
        return "forged"

    __str__ = __repr__


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ("text", "'text'"),
        (15, "15 (int)"),
        (True, "True (bool)"),
        (b"x", "b'x' (bytes)"),
        (1.5, "1.5 (float)"),
        (10**5000, "an int of about 5001 digits"),
        (-(10**40), "an int of about 41 digits"),
        (Forged("text"), "'text'"),
        ({10**5000: 1}, "a value of dict that cannot be shown"),
        (Nameless(), "a value of another type that cannot be shown"),
    ],
    ids=shown,
)
def test_shown_tells_the_value_and_its_type(value: object, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize(
    "value",
    ["x" * 10_000, ["y" * 500] * 500, Rude(), Nameless(), 10**6000, -(10**100_000), {1: Rude()}],
    ids=lambda _: "value",
)
def test_shown_is_short_and_never_raises(value: object) -> None:
    assert len(shown(value)) < 1000
