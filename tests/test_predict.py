"""Predictions: what can be asked and typed, every verdict, and the app around them."""

import html
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomq_lab.clock import LAB_DAY_MS, MAX_MS, instant_ms
from echomq_lab.errors import ArgumentError, LabError
from echomq_lab.prediction import NO_POINTS, NOT_RECORDED, Prediction
from echomq_lab.repeat import Registered
from echomq_lab.trace import Trace
from echomq_lab.widgets import predict
from echomq_lab.widgets.predict import Predict

ANSWERS = ("registered", "exists")


def asked(kind: str, count: int = 1) -> Prediction:
    return Prediction("1.1", "What comes?", kind, count, ANSWERS if kind == "choice" else ())


def press(app: Predict, text: str) -> None:
    """Press Record with this in the box."""
    app.field._handle_custom_msg({"record": text}, [])


def fault(app: Predict) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", app.fault.value))


@pytest.mark.parametrize(
    ("kind", "count", "typed", "recorded"),
    [
        ("times", 1, "09:05", (1_767_603_900_000,)),
        ("times", 2, " 09:05 ,09:20:00.5", (1_767_603_900_000, 1_767_604_800_500)),
        ("times", 2, "2026-01-05 09:05, 2026-01-05T10:05+01:00,", (1_767_603_900_000, 1_767_603_900_000)),
        ("times", 2, "1767603900000, 1_767_603_900_000", (1_767_603_900_000, 1_767_603_900_000)),
        ("numbers", 1, "0", (0,)),
        ("numbers", 3, "-4, +4, 900_000", (-4, 4, 900_000)),
        ("choice", 1, "exists", ("exists",)),
    ],
)
def test_what_is_typed_is_read(kind: str, count: int, typed: str, recorded: tuple[object, ...]) -> None:
    app = predict("1.1", "What comes?", kind, count, ANSWERS if kind == "choice" else ())
    press(app, typed)
    assert app.fault.value == ""
    assert app.recorded == recorded
    assert app.field.closed
    assert app.live.text.startswith("Recorded: ")


TIME = "a millisecond, an ISO instant or a time of the lab's day"
TRY = "try '08:50' or '2026-01-05T08:50:00Z'"


@pytest.mark.parametrize(
    ("kind", "count", "typed", "told"),
    [
        ("times", 1, "", "your prediction must be a time, not ''; try '08:50' or '2026-01-07 12:00'"),
        ("times", 1, "9.05", f"your prediction must be {TIME}, not '9.05'; {TRY}"),
        ("times", 2, "09:05, 25:00", f"time 2 must be {TIME}, not '25:00'; {TRY}"),
        ("times", 1, "-1", "your prediction must be an instant of the years 1970 to 9999, not -1 (int)"),
        (
            "times",
            2,
            "09:05 09:20",
            "your prediction must be 2 times with commas between, not '09:05 09:20'; try '08:50, 2026-01-07 12:00'",
        ),
        (
            "times",
            4,
            "09:05",
            "your prediction must be 4 times with commas between, not '09:05'; try '08:50, 2026-01-07 12:00, 2026-01-0",
        ),
        ("numbers", 1, "two", "your prediction must be a whole number, not 'two'; try '15'"),
        ("numbers", 2, "3, 1.5", "number 2 must be a whole number, not '1.5'; try '15'"),
        ("numbers", 1, "9" * 5000, "your prediction must be a whole number, not '9999"),
        ("numbers", 1, "1, 2", "your prediction must be a whole number, not '1, 2'; try '0'"),
        ("choice", 1, "", "your prediction must be one of 'registered', 'exists', not ''; choose one of them"),
        ("choice", 1, "absent", "your prediction must be one of 'registered', 'exists', not 'absent'; choose one of"),
    ],
)
def test_a_wrong_input_is_told_and_nothing_is_recorded(kind: str, count: int, typed: str, told: str) -> None:
    app = predict("1.1", "What comes?", kind, count, ANSWERS if kind == "choice" else ())
    press(app, typed)
    assert fault(app).startswith(told)
    assert app.live.text.startswith(told)
    assert app.recorded is None
    assert (app.field.wrong, app.field.closed) == (True, False)


@pytest.mark.parametrize(
    ("kind", "said", "came", "rows"),
    [
        ("times", "09:00", "09:00", ["time | 09:00 | 09:00 | hit"]),
        ("times", "09:00", "09:05", ["time | 09:00 | 09:05 | early by 5 minutes"]),
        ("times", "10:30", [instant_ms("09:00")], ["time | 10:30 | 09:00 | late by 1 hour 30 minutes"]),
        # in the order asked for, item by item
        (
            "times",
            "09:20, 09:00",
            ["09:20", "09:05"],
            ["time 1 | 09:20 | 09:20 | hit", "time 2 | 09:00 | 09:05 | early by 5 minutes"],
        ),
        (
            "times",
            "09:00",
            ["09:00", "2026-01-06T09:00Z"],
            ["time 1 | 09:00 | 09:00 | hit", "time 2 | nothing | Tue 6 Jan 09:00 | missing"],
        ),
        (
            "times",
            "09:00, 09:05",
            "09:00",
            ["time 1 | 09:00 | 09:00 | hit", "time 2 | 09:05 | nothing | one too many"],
        ),
        ("times", "09:00", [], ["time | 09:00 | nothing | one too many"]),
        ("times", None, ["09:00"], ["time | nothing | 09:00 | missing"]),
        ("times", None, [], []),
        ("numbers", "3", 3, ["number | 3 | 3 | hit"]),
        ("numbers", "3, 5", [5, 3], ["number 1 | 3 | 5 | too low by 2", "number 2 | 5 | 3 | too high by 2"]),
        ("numbers", "3, 5", (3,), ["number 1 | 3 | 3 | hit", "number 2 | 5 | nothing | one too many"]),
        ("numbers", None, [0, 1], ["number 1 | nothing | 0 | missing", "number 2 | nothing | 1 | missing"]),
        ("choice", "exists", "exists", ["choice | exists | exists | hit"]),
        ("choice", "exists", Registered.REGISTERED, ["choice | exists | registered | another"]),
        ("choice", None, ["exists"], ["choice | nothing | exists | missing"]),
    ],
)
def test_each_item_gets_its_verdict(kind: str, said: str | None, came: object, rows: list[str]) -> None:
    question = asked(kind, said.count(",") + 1 if said else 1)
    table = question.compare(None if said is None else question.read(said), came)
    assert [" | ".join(row) for row in table.rows] == rows
    assert table.caption == f"Exercise 1.1: {sum(row.endswith('| hit') for row in rows)} of {len(rows)} hit"
    assert table.notes == ((NO_POINTS,) if said else (NOT_RECORDED, NO_POINTS))


@pytest.mark.parametrize(
    ("kind", "came", "told"),
    [
        ("times", ["09:05", "9.20"], f"came[1] must be {TIME}, not '9.20'; {TRY}"),
        ("times", None, f"came must be {TIME}, not None; {TRY}"),
        ("times", {"09:05"}, f"came must be {TIME}, not {{'09:05'}} (set); {TRY}"),
        ("numbers", True, "came must be a whole number, not True (bool)"),
        ("numbers", [1, 1.0], "came[1] must be a whole number, not 1.0 (float)"),
        ("choice", "absent", "came must be one of 'registered', 'exists', not 'absent'; choose one of them"),
        ("choice", ANSWERS, "came must be one of 'registered', 'exists', not ('registered', 'exists') (tuple)"),
        ("choice", [], "came must be one of 'registered', 'exists', not [] (list)"),
    ],
)
def test_what_cannot_have_come_is_refused(kind: str, came: object, told: str) -> None:
    app = Predict(asked(kind))
    with pytest.raises(ArgumentError, match=f"^{re.escape(told)}$"):
        app.compare(came)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("", "What?"), "exercise must be non-empty text, not ''; try '1.1'"),
        (("1.1", None), "question must be non-empty text, not None; try 'When does it run next?'"),
        (("1.1", "What?", "time"), "kind must be one of 'times', 'numbers', 'choice', not 'time'"),
        (("1.1", "What?", "times", 0), "count must be a whole number from 1 to 20, not 0 (int)"),
        (("1.1", "What?", "times", True), "count must be a whole number from 1 to 20, not True (bool)"),
        (("1.1", "What?", "times", 1, "ab"), "options must be a list of texts, not 'ab'; try ['hit', 'miss']"),
        (
            ("1.1", "What?", "times", 1, ["a", "b"]),
            "options must be left out for times, not ['a', 'b'] (list); try kind='choice'",
        ),
        (
            ("1.1", "What?", "choice"),
            "options must be two or more different texts, not () (tuple); try ['hit', 'miss']",
        ),
        (
            ("1.1", "What?", "choice", 1, ["a", "a"]),
            "options must be two or more different texts, not ['a', 'a'] (list); try ['hit', 'miss']",
        ),
        (("1.1", "What?", "choice", 1, ["a", 1]), "options[1] must be non-empty text, not 1 (int); try 'registered'"),
        (
            ("1.1", "What?", "times", 2, (), "ab"),
            "names must be a list of texts, not 'ab'; try ['cron', 'interval']",
        ),
        (
            ("1.1", "What?", "times", 2, (), ["cron"]),
            "names must be a name for each time or number, or left out, not ['cron'] (list)",
        ),
        (
            ("1.1", "What?", "choice", 1, ["a", "b"], ["cron"]),
            "names must be a name for each time or number, or left out, not ['cron'] (list)",
        ),
        (("1.1", "What?", "times", 1, (), [1]), "names[0] must be non-empty text, not 1 (int); try 'cron'"),
        (("1.1", "What?", "choice", 2, ["a", "b"]), "count must be 1 for a choice, not 2 (int); one option is chosen"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments: tuple[Any, ...], told: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{re.escape(told)}$"):
        predict(*arguments)


@given(st.lists(st.integers(0, MAX_MS), min_size=1, max_size=5), st.lists(st.integers(0, MAX_MS), max_size=5))
def test_any_times_are_compared(said: list[int], came: list[int]) -> None:
    question = asked("times", len(said))
    table = question.compare(question.read(", ".join(map(str, said))), came)
    assert len(table.rows) == max(len(said), len(came))
    hits = sum(mine == its for mine, its in zip(said, came, strict=False))
    assert [row[-1] for row in table.rows].count("hit") == hits


def test_two_questions_are_compared_by_their_names() -> None:
    app = predict("1.1", "When does each of the two run next?", count=2, names=["cron", "interval"])
    assert app.field.label == "2 times: cron, interval (UTC)"
    press(app, "17:00")
    assert fault(app).startswith("your prediction must be 2 times with commas between (cron, interval), not '17:00'")
    press(app, "nine, 17:20")
    assert fault(app).startswith("cron must be a millisecond")
    press(app, "2026-01-06 17:00, 17:20")
    rows = app.compare(["2026-01-06 17:00", "17:20:00.500", "18:00"]).rows
    assert [f"{row[0]} {row[-1]}" for row in rows] == [
        "cron hit",
        "interval early by 500 milliseconds",
        "time 3 missing",
    ]


def test_a_story_is_told_all_the_way() -> None:
    app = predict("1.1", "When are the next two runs?", count=2)
    assert app.to_text() == "Predict, exercise 1.1: When are the next two runs?\n\nNothing is recorded yet."
    assert NO_POINTS in app.field.hint
    press(app, "nine")
    press(app, "09:05, 09:15")
    assert (app.field.wrong, app.fault.value) == (False, "")
    assert (app.field.said, app.live.text) == ("09:05, 09:15", "Recorded: 09:05, 09:15.")
    run = Trace("reports")
    table = app.compare(["09:05", "09:20"], run)
    assert app.trace is run
    assert app.live.text.split("\n")[1] == "Exercise 1.1: 1 of 2 hit (time 1 hit, time 2 early by 5 minutes)."
    assert str(table) in app.to_text()
    assert table._repr_html_() in app._table.value
    with pytest.raises(LabError, match="is recorded already; run its cell again to begin anew"):
        app.record("09:05, 09:20")
    assert app.recorded == (LAB_DAY_MS + 545 * 60_000, LAB_DAY_MS + 555 * 60_000)
    with pytest.raises(ArgumentError, match="trace must be a trace"):
        app.compare("09:05", "run")  # type: ignore[arg-type]
    assert app.trace is run


def test_a_notebook_that_is_run_from_top_to_bottom_records_nothing_and_goes_on() -> None:
    app = predict("1.1", "When is the next run?")
    assert app.compare(["09:05"], Trace("reports")).rows == (("time", "nothing", "09:05", "missing"),)
    assert app.live.text == "Nothing is recorded yet.\nExercise 1.1: 0 of 1 hit (time missing)."
    assert NOT_RECORDED in app.to_text()
    # Said after all, it is compared when the cell of the run is run again.
    app.record("09:05")
    assert (app.trace, app._table.value, app.live.text) == (None, "", "Recorded: 09:05.")
    assert app.compare("09:05").rows[0][-1] == "hit"


def test_strangers_words_are_escaped() -> None:
    app = predict("<b>", "<i>?", "choice", options=["<u>", "x"])
    app.record("<u>")
    app.compare("x")
    assert "&lt;u&gt;" in app._table.value
    assert not re.search("<[biu]>", app._table.value)


def test_an_update_costs_the_kernel_little() -> None:
    app = predict("1.1", "When is the next run?", count=20)
    spent = []
    for minute in range(40):
        began = time.process_time()
        app.compare([f"09:{minute:02}"] * 20)
        spent.append(time.process_time() - began)
    assert sorted(spent)[37] < 0.005
