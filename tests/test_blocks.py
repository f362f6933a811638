"""The blocks of register: any order runs, on both stores; and the app that orders them, without a browser."""

import html
import json
import re
import time
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echomq_lab import repeat, scripts, trace
from echomq_lab.clock import FixedClock
from echomq_lab.errors import ArgumentError
from echomq_lab.keyspace import record_key, registry_key
from echomq_lab.scenario import BLOCKS, assemble, try_order
from echomq_lab.scenario.register_blocks import NAME
from echomq_lab.store import FAKEREDIS, Connection, connect
from echomq_lab.widgets import blocks
from echomq_lab.widgets.blocks import Blocks


@pytest.fixture
def app() -> Blocks:
    return blocks()


def ask(app: Blocks, letter: str, to: str | int) -> str:
    """Ask as the page does, and answer what was said."""
    app.lists._handle_custom_msg({"block": letter, "to": to}, [])
    return str(app.live.text)


def put(app: Blocks, order: str) -> Blocks:
    for letter in order:
        ask(app, letter, "in")
    return app


def called(run: trace.Trace) -> list[str]:
    return [" ".join(call[0] for call in step.calls) for step in run.steps]


def test_the_blocks_are_those_of_the_library_and_one_more() -> None:
    source = scripts.source("register").splitlines()
    assert [BLOCKS[letter] for letter in "BDAC"] == [line for line in source if not line.startswith("--")]
    assert assemble(list("BDAC")).splitlines() == [BLOCKS[letter] for letter in "BDAC"]


@pytest.mark.parametrize(
    ("order", "script"),
    [
        ([], ""),
        (["C"], "return 1"),
        (("C", "B"), f"do return 1 end\n{BLOCKS['B']}"),
    ],
)
def test_a_return_with_something_after_it_stands_in_a_block_of_its_own(order: list[str], script: str) -> None:
    assert assemble(order) == script


ONE_OF = "one of 'A', 'B', 'C', 'D', 'E'"


@pytest.mark.parametrize(
    ("order", "told"),
    [
        ("BDAC", "order must be a list of letters, not 'BDAC'; try ['A', 'C']"),
        (["B", "X"], f"order[1] must be {ONE_OF}, not 'X'"),
        (["b"], f"order[0] must be {ONE_OF}, not 'b'"),
        (["B", 1], "order[1] must be a letter, not 1 (int)"),
        (["B", "A", "B"], "order[2] must be a block that is not there yet, not 'B'; each is there once"),
    ],
)
def test_an_order_of_something_else_is_refused_before_anything_is_sent(order: list[str], told: str) -> None:
    with connect(FAKEREDIS, clock=FixedClock("08:50")) as conn:
        with pytest.raises(ArgumentError, match=f"^{re.escape(told)}$"):
            try_order(conn, "reports", order)
        assert conn.send("DBSIZE") == 0
        assert conn.now_ms() == FixedClock("08:50").now_ms()
    with connect(FAKEREDIS) as conn, pytest.raises(ArgumentError, match="the clock must be a FixedClock"):
        try_order(conn, "reports", ["B"])


@pytest.mark.parametrize(
    ("order", "calls", "replies", "score", "every_ms"),
    [
        ("BDAC", ["EXISTS HSET ZADD", "EXISTS"], [1, 0], "09:05", "900000"),
        ("BADC", ["EXISTS ZADD HSET", "EXISTS"], [1, 0], "09:05", "900000"),
        # the record is written before it is asked for: nobody registers
        ("DBAC", ["HSET EXISTS", "HSET EXISTS"], [0, 0], None, "3600000"),
        # the guard last: both boots write
        ("DABC", ["HSET ZADD EXISTS", "HSET ZADD EXISTS"], [0, 0], "09:51", "3600000"),
        # the score is written before the guard: a live score moves
        ("ABDC", ["ZADD EXISTS HSET", "ZADD EXISTS"], [1, 0], "09:51", "900000"),
        ("EDAC", ["ZSCORE HSET ZADD", "ZSCORE"], [1, 0], "09:05", "900000"),
        ("BDA", ["EXISTS HSET ZADD", "EXISTS"], [None, 0], "09:05", "900000"),
        ("CBDA", ["", ""], [1, 1], None, None),
        ("", ["", ""], [None, None], None, None),
    ],
)
def test_what_an_order_does_is_what_the_store_executed(
    conn: Connection, order: str, calls: list[str], replies: list[int | None], score: str | None, every_ms: str | None
) -> None:
    run = try_order(conn, "reports", list(order))
    assert called(run) == calls
    assert [step.reply for step in run.steps] == replies
    assert [step.at_ms for step in run.steps] == [FixedClock(at).now_ms() for at in ("08:50", "08:51")]
    stored = conn.send("ZSCORE", registry_key("reports"), NAME)
    assert stored == (None if score is None else FixedClock(score).now_ms())
    assert conn.send("HGET", record_key("reports", NAME), "every_ms") == every_ms


def test_the_blocks_in_their_order_do_what_register_does(conn: Connection) -> None:
    run = try_order(conn, "blocks", list("BDAC"))
    clock = conn.clock
    assert isinstance(clock, FixedClock)
    clock.set("08:50", back=True)
    for every_ms in (900_000, 3_600_000):
        repeat.register(conn, "verb", NAME, every_ms, "{}", every_ms)
        clock.advance("1m")
    held = [trace.keys_of(conn.client, f"emq:{{{queue}}}:") for queue in ("blocks", "verb")]
    assert [*held[0].values()] == [*held[1].values()]
    assert run.queue == "blocks"


def test_every_order_there_is_runs_and_each_try_finds_a_fresh_queue() -> None:
    with connect(FAKEREDIS, clock=FixedClock("08:50")) as conn:
        assert [try_order(conn, "reports", ["D"]).queue for _ in range(2)] == ["reports", "reports-2"]
        for order in permutations(BLOCKS):
            conn.send("FLUSHALL")
            run = try_order(conn, "reports", order)
            assert [step.error for step in run.steps] == [None, None]


def test_it_opens_with_all_left_over_and_says_nothing_of_what_is_right(app: Blocks) -> None:
    assert (app.order, app.trace) == ([], None)
    assert app.lists.line == "register_order = []"
    assert app.to_text().startswith("In the script:\n  (no block)\nLeft over:\n  A  redis.call('ZADD'")
    put(app, "BDAC")
    app.tries.click()
    assert not re.search(r"right|wrong|correct|well done", app.to_text().lower())


@pytest.mark.parametrize(
    ("order", "letter", "to", "said", "after"),
    [
        ("", "B", "in", "B is first of 1.", "B"),
        ("DA", "B", "in", "B is third of 3.", "DAB"),
        ("DAB", "B", "up", "B is second of 3.", "DBA"),
        ("DAB", "D", "down", "D is second of 3.", "ADB"),
        ("DAB", "D", "up", "D is first of 3 already.", "DAB"),
        ("DAB", "B", "down", "B is third of 3 already.", "DAB"),
        ("DAB", "A", "out", "A is left over.", "DB"),
        ("DAB", "C", "up", "C is left over: put it in first.", "DAB"),
        ("DAB", "C", "out", "C is left over.", "DAB"),
        ("DAB", "B", 0, "B is first of 3.", "BDA"),
        ("DAB", "D", 2, "D is third of 3.", "ABD"),
        ("DAB", "E", 1, "E is second of 4.", "DEAB"),
        ("DABC", "E", 99, "E is fifth of 5.", "DABCE"),
        ("DAB", "A", "in", "A is third of 3.", "DBA"),
    ],
)
def test_a_block_is_moved_and_the_line_follows(
    app: Blocks, order: str, letter: str, to: str | int, said: str, after: str
) -> None:
    assert ask(put(app, order), letter, to) == said
    assert app.fault.value == ""
    assert app.order == list(after)
    assert app.lists.line == f"register_order = {json.dumps(list(after))}"


@pytest.mark.parametrize(
    ("letter", "to", "told"),
    [
        ("X", "in", f"a block must be {ONE_OF}, not 'X'"),
        ("B", "left", "to must be 'up', 'down', 'in', 'out' or a place from 0, not 'left'"),
        ("B", True, "to must be 'up', 'down', 'in', 'out' or a place from 0, not True (bool)"),
    ],
)
def test_another_move_is_refused_and_shown(app: Blocks, letter: str, to: str, told: str) -> None:
    put(app, "DA")
    assert ask(app, letter, to) == told
    assert told in html.unescape(app.fault.value)
    assert app.order == ["D", "A"]
    ask(app, "B", "in")
    assert app.fault.value == ""


def test_an_order_is_tried_and_told(app: Blocks) -> None:
    put(app, "ABDC").tries.click()
    assert app.fault.value == ""
    assert app.trace is not None
    assert called(app.trace) == ["ZADD EXISTS HSET", "ZADD EXISTS"]
    assert app.live.text.splitlines() == [
        "Tried: the order A, B, D, C.",
        "Boot 1 at 08:50: called ZADD, EXISTS, HSET; reply 1; changed registry and record.",
        "Boot 2 at 08:51: called ZADD, EXISTS; reply 0; changed registry.",
    ]
    assert app.to_text().splitlines()[-12:] == [
        "Two boots by the order A, B, D, C",
        "  boot              the script called                         reply  changed",
        "  ----------------  ----------------------------------------  -----  -------------------------------------",
        "  1 at 08:50        ZADD registry 1767603900000 daily-report  1      registry",
        "  every 15 minutes  EXISTS record                                      before: (no key)",
        "                    HSET record every_ms 900000 template {}            after: daily-report at 09:05",
        "                                                                     record",
        "                                                                       before: (no key)",
        "                                                                       after: every_ms 900000, template {}",
        "  2 at 08:51        ZADD registry 1767606660000 daily-report  0      registry",
        "  every 1 hour      EXISTS record                                      before: daily-report at 09:05",
        "                                                                       after: daily-report at 09:51",
    ]
    # What was tried stays while the next order is put together, and says which order it was.
    ask(app, "A", "out")
    assert "Two boots by the order A, B, D, C" in app._table.value
    for letter in "BDC":
        ask(app, letter, "out")
    app.tries.click()
    assert app.live.text.startswith("Tried: a script without blocks.\nBoot 1 at 08:50: called nothing; reply nil;")


@pytest.mark.parametrize(("copied", "said"), [(True, "Copied."), (False, "The line is selected: copy it with Ctrl+C")])
def test_a_copy_says_whether_it_was_made(app: Blocks, copied: bool, said: str) -> None:
    app.lists._handle_custom_msg({"copied": copied}, [])
    assert app.live.text.startswith(said)


@pytest.mark.parametrize("exercise", ["2.3", "", None, 2.2])
def test_another_exercise_has_no_blocks(exercise: object) -> None:
    with pytest.raises(ArgumentError, match=r"^exercise must be one with blocks: '2\.2', not "):
        blocks(exercise)  # type: ignore[arg-type]


@settings(max_examples=20)
@given(st.lists(st.tuples(st.sampled_from("ABCDE"), st.sampled_from(["up", "down", "in", "out", 0, 1, 2, 9]))))
def test_no_row_of_moves_loses_a_block_or_doubles_one(moves: list[tuple[str, str | int]]) -> None:
    app = blocks()
    for letter, to in moves:
        before = app.order
        app.move(letter, to)
        assert set(before) ^ set(app.order) <= {letter}
        assert len(set(app.order)) == len(app.order)
        others = [each for each in app.order if each != letter]
        if to not in ("up", "down"):
            assert others == [each for each in before if each != letter]
    app.dismiss()


def test_an_update_costs_the_kernel_little(app: Blocks) -> None:
    spent = []
    for move in ["in", "up", "down", "out"] * 25:
        began = time.process_time()
        ask(app, "B", move)
        spent.append(time.process_time() - began)
    assert sorted(spent)[94] < 0.005
