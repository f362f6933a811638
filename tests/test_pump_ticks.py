"""The pump that ticks: by hand under a lab clock, as a thread, and as a process."""

from __future__ import annotations

import json
import logging
import os
import pty
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from echomq_lab import pump, repeat
from echomq_lab.clock import FixedClock
from echomq_lab.errors import ArgumentError, LabError, ReplyError, StoreError
from echomq_lab.keyspace import record_key, registry_key
from echomq_lab.store import Connection, connect

EIGHT_FIFTY = 1_767_603_000_000
QUARTER = 900_000
#: How long another thread or process may take for what it does at once.
PATIENCE_S = 20.0


def until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it did not come to hold"
        time.sleep(0.01)


@pytest.fixture
def live(valkey_url: str) -> Iterator[Connection]:
    """An empty Valkey under the machine's clock."""
    with connect(valkey_url) as conn:
        conn.send("FLUSHALL")
        yield conn


# ----------------------------------------------------------------------------------------------------------- by hand


@pytest.mark.parametrize("atomic", [False, True])
def test_each_step_is_a_sweep_that_arms_the_next_tick(conn: Connection, atomic: bool) -> None:
    assert isinstance(conn.clock, FixedClock)
    by_hand = pump.Pump(conn, "reports", tick_ms=1000, batch=2, atomic=atomic)
    assert (by_hand.next_tick_ms, by_hand.running) == (EIGHT_FIFTY + 1000, False)
    for name in ("a", "b", "c"):
        repeat.register(conn, "reports", name, QUARTER, name)
    fired = []
    for _ in range(3):
        conn.clock.set(by_hand.next_tick_ms)
        fired.append(by_hand.step().fired)
    assert fired == [2, 1, 0]
    assert by_hand.total == pump.Sweep(0, 3, 0)
    assert by_hand.next_tick_ms == EIGHT_FIFTY + 4000


def test_a_pump_sweeps_every_second_up_to_a_hundred_unless_told(conn: Connection) -> None:
    usual = pump.Pump(conn, "reports")
    assert (usual.tick_ms, usual.batch) == (1000, 100)
    for number in range(101):
        repeat.register(conn, "reports", f"n{number}", QUARTER, "{}")
    assert [usual.step().fired for _ in range(2)] == [100, 1]


def test_a_step_that_fails_arms_the_next_tick_all_the_same(conn: Connection) -> None:
    assert isinstance(conn.clock, FixedClock)
    by_hand = pump.Pump(conn, "reports")
    conn.send("SET", registry_key("reports"), "x")
    conn.clock.advance(60_000)
    with pytest.raises(ReplyError, match=r"^WRONGTYPE "):
        by_hand.step()
    assert by_hand.next_tick_ms == EIGHT_FIFTY + 61_000


BAD = [0, -1, True, 1.5, "1000", None, 2**63]


@pytest.mark.parametrize("value", BAD, ids=ascii)
@pytest.mark.parametrize(
    ("thing", "allowed"), [("tick_ms", "whole milliseconds from 1 to"), ("batch", "a whole number from 1 to")]
)
def test_another_tick_or_batch_is_refused_at_construction(
    conn: Connection, thing: str, allowed: str, value: Any
) -> None:
    with pytest.raises(ArgumentError, match=rf"^{thing} must be {allowed} "):
        pump.Pump(conn, "reports", **{thing: value})


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((None, "reports"), "conn must be a connection, not None; make one with conn = connect()"),
        (("conn", "a}b"), "queue must be non-empty text without braces, not 'a}b'; try 'reports'"),
        (
            ("conn", "reports", 1000, 100, 1),
            "atomic must be True or False, not 1 (int); True takes the sweep of one script",
        ),
    ],
)
def test_another_argument_is_refused_at_construction(conn: Connection, arguments: tuple[Any, ...], told: str) -> None:
    first = conn if arguments[0] == "conn" else arguments[0]
    with pytest.raises(ArgumentError) as raised:
        pump.Pump(first, *arguments[1:])
    assert str(raised.value) == told


# --------------------------------------------------------------------------------------------------------- as a thread


@pytest.mark.parametrize("atomic", [False, True])
def test_the_thread_fires_what_is_due_and_stops(live: Connection, atomic: bool) -> None:
    repeat.register(live, "reports", "daily", QUARTER, "{}")
    with pump.Pump(live, "reports", tick_ms=5, atomic=atomic) as ticking:
        assert ticking.running
        until(lambda: ticking.total.fired)
    assert not ticking.running
    assert repeat.backlog(live, "reports") == repeat.Backlog(0, 0)
    repeat.register(live, "reports", "after", QUARTER, "{}")
    ticking.stop()
    assert ticking.total.fired == 1
    ticking.start()
    until(lambda: ticking.total.fired == 2)
    ticking.stop()


@pytest.mark.parametrize("tick_ms", [60_000, 2**53 - 1])
def test_no_sweep_at_the_start(live: Connection, tick_ms: int) -> None:
    repeat.register(live, "reports", "daily", QUARTER, "{}")
    with pump.Pump(live, "reports", tick_ms) as ticking:
        ticking._thread.join(0.05)
        assert ticking.running
    assert ticking.total.fired == 0


def test_a_thread_cannot_wait_for_a_lab_clock(conn: Connection) -> None:
    still = pump.Pump(conn, "reports")
    with pytest.raises(LabError) as raised:
        still.start()
    assert str(raised.value) == "a thread cannot wait for a clock that stands still; move the clock and call step()"
    assert not still.running


def test_a_pump_runs_once(live: Connection) -> None:
    with pump.Pump(live, "reports") as ticking, pytest.raises(LabError) as raised:
        ticking.start()
    assert str(raised.value) == "this pump runs already; stop() it first"


def test_of_many_that_start_it_at_once_one_does(live: Connection) -> None:
    ticking = pump.Pump(live, "reports")
    gate, refused = threading.Barrier(20), []

    def starting() -> None:
        gate.wait(PATIENCE_S)
        try:
            ticking.start()
        except LabError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=starting) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    ticking.stop()
    assert refused == ["this pump runs already; stop() it first"] * 19


def test_what_hears_the_log_may_stop_the_pump(live: Connection, caplog: pytest.LogCaptureFixture) -> None:
    repeat.register(live, "reports", "daily", QUARTER, "{}")
    ticking = pump.Pump(live, "reports", tick_ms=1)

    class Stopping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            ticking.stop()

    listener = Stopping()
    logging.getLogger("echomq_lab.pump").addHandler(listener)
    try:
        with caplog.at_level(logging.INFO):
            ticking.start()
            until(lambda: not ticking.running)
    finally:
        logging.getLogger("echomq_lab.pump").removeHandler(listener)
    assert ticking.total.fired == 1


def test_the_next_tick_of_a_thread_is_told(live: Connection) -> None:
    ticking = pump.Pump(live, "reports", tick_ms=60_000)
    ticking.next_tick_ms = 0
    before = live.now_ms()
    with ticking:
        assert 0 <= ticking.next_tick_ms - before - 60_000 < 1000 * PATIENCE_S


def test_stop_finishes_the_sweep_in_hand(live: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, go_on = threading.Event(), threading.Event()
    enqueue = pump.jobs.enqueue

    def slowly(*args: Any) -> Any:
        inside.set()
        assert go_on.wait(PATIENCE_S)
        return enqueue(*args)

    monkeypatch.setattr(pump.jobs, "enqueue", slowly)
    for name in ("a", "b"):
        repeat.register(live, "reports", name, QUARTER, "{}")
    ticking = pump.Pump(live, "reports", tick_ms=1)
    ticking.start()
    assert inside.wait(PATIENCE_S)
    stopping = threading.Thread(target=ticking.stop)
    stopping.start()
    assert stopping.is_alive()
    go_on.set()
    stopping.join(PATIENCE_S)
    assert (ticking.total.fired, ticking.running) == (2, False)


def test_a_lost_line_is_told_and_the_pump_comes_back(
    live: Connection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sweep, failures = pump.sweep, iter(range(2))

    def cut(*args: Any) -> pump.Sweep:
        if next(failures, None) is not None:
            raise StoreError("the line was lost")
        return sweep(*args)

    monkeypatch.setattr(pump, "sweep", cut)
    repeat.register(live, "reports", "daily", QUARTER, "{}")
    with caplog.at_level(logging.INFO), pump.Pump(live, "reports", tick_ms=1) as ticking:
        until(lambda: ticking.lost)
        until(lambda: ticking.total.fired)
    assert ticking.lost is None
    lost, again, back, swept = (record for record in caplog.records if record.name == "echomq_lab.pump")
    assert (lost.event, again.event, back.event, swept.event) == ("lost", "lost", "back", "sweep")
    assert (lost.figures["error"], back.figures) == ("the line was lost", {"queue": "reports", "after": 2})
    # Each wait is drawn from the upper half of its bound: 200 ms, then 400 ms.
    assert 100 <= lost.figures["retry_in_ms"] <= 200 <= again.figures["retry_in_ms"] <= 400
    assert (swept.figures["fired"], swept.figures["swept"], swept.figures["broken"]) == (1, 0, [])


def test_an_error_of_the_store_is_told_and_the_pump_goes_on(live: Connection, caplog: pytest.LogCaptureFixture) -> None:
    live.send("SET", registry_key("reports"), "x")
    with caplog.at_level(logging.INFO), pump.Pump(live, "reports", tick_ms=1) as ticking:
        ticks: list[int] = []
        step = ticking.step
        ticking.step = lambda: ticks.append(1) or step()  # type: ignore[func-returns-value, method-assign]
        until(lambda: len(ticks) > 5)
        assert caplog.text.count("queue reports: error: WRONGTYPE") == 1
        live.send("DEL", registry_key("reports"))
        repeat.register(live, "reports", "daily", QUARTER, "{}")
        until(lambda: ticking.total.fired)


def test_a_broken_name_is_told_once_and_not_at_every_tick(live: Connection, caplog: pytest.LogCaptureFixture) -> None:
    repeat.register(live, "reports", "bad", QUARTER, "{}")
    live.send("HSET", record_key("reports", "bad"), "every_ms", "soon")
    ticking = pump.Pump(live, "reports", tick_ms=1)
    ticks: list[int] = []
    step = ticking.step
    ticking.step = lambda: ticks.append(1) or step()  # type: ignore[func-returns-value, method-assign]
    with caplog.at_level(logging.INFO), ticking:
        until(lambda: len(ticks) > 5)
    assert [record.figures["broken"] for record in caplog.records if record.name == "echomq_lab.pump"] == [["bad"]]


# -------------------------------------------------------------------------------------------------------- as a process


@contextmanager
def pumping(*words: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "echomq_lab", "pump", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **options)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def events(process: subprocess.Popen[str], upto: str) -> list[dict[str, Any]]:
    """The log's lines up to an event."""
    told: list[dict[str, Any]] = []
    assert process.stderr is not None
    while not told or told[-1]["event"] != upto:
        told.append(json.loads(process.stderr.readline()))
    return told


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_the_process_sweeps_until_a_signal(live: Connection, number: int, code: int) -> None:
    repeat.register(live, "reports", "daily", QUARTER, "{}")
    words = ("reports", "--url", live.url, "--tick-ms", "20", "--batch", "7", "--atomic")
    with pumping(*words, stdout=subprocess.DEVNULL) as process:
        ready, *between, swept = events(process, "sweep")
        process.send_signal(number)
        *_, stopping, stopped = events(process, "stopped")
        assert process.wait(PATIENCE_S) == code
    assert {name: ready[name] for name in ("level", "queue", "url", "tick_ms", "batch", "atomic")} == {
        "level": "info",
        "queue": "reports",
        "url": live.url,
        "tick_ms": 20,
        "batch": 7,
        "atomic": True,
    }
    assert (stopping["event"], stopping["signal"]) == ("stopping", signal.Signals(number).name)
    assert {each["event"] for each in between} <= {"status"}
    assert (swept["fired"], stopped["fired"], stopped["promoted"], stopped["swept"]) == (1, 1, 0, 0)
    assert ready["at_ms"] <= swept["at_ms"] <= stopped["at_ms"]


@pytest.mark.parametrize(
    ("queue", "columns", "line"),
    [
        ("reports", "80", "\r\x1b[K1 fired, 0 due, lag 0.0 s: reports\r"),
        ("reports", "20", "\r\x1b[K1 fired, 0 due, lag\r"),
        ("a\n\x1b[31m", "80", "\r\x1b[K1 fired, 0 due, lag 0.0 s: a\\n\\x1b[31m\r"),
        ("日本語の長い列", "37", "\r\x1b[K1 fired, 0 due, lag 0.0 s: 日本語の\r"),
    ],
)
def test_on_a_terminal_a_live_line_tells_fired_due_and_lag(
    live: Connection, queue: str, columns: str, line: str
) -> None:
    repeat.register(live, queue, "daily", QUARTER, "{}")
    ours, theirs = pty.openpty()
    settings = os.environ | {"TERM": "xterm", "COLUMNS": columns, "PYTHONIOENCODING": "utf-8"}
    with pumping(queue, "--url", live.url, "--tick-ms", "20", stdout=theirs, env=settings) as process:
        os.close(theirs)
        seen = ""
        deadline = time.monotonic() + PATIENCE_S
        while line not in seen:
            assert time.monotonic() < deadline, seen
            seen += os.read(ours, 1000).decode("utf-8", "ignore")
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    os.close(ours)


def test_a_closed_output_stops_no_pump(live: Connection) -> None:
    command = f"exec {shlex.quote(sys.executable)} -m echomq_lab pump reports --url {live.url} --tick-ms 20 >&-"
    with subprocess.Popen(["sh", "-c", command], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert events(process, "status")[0]["event"] == "ready"
            process.terminate()
            assert events(process, "stopped")[-1]["fired"] == 0
            assert process.wait(PATIENCE_S) == 0
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["reports"], "a server is needed that other processes reach; try --url redis://localhost:6379/0, or set"),
        (["reports", "--url", "embedded://valkey"], "the server must be one that other processes reach, not 'embed"),
        (["a}b", "--url", "URL"], "queue must be non-empty text without braces, not 'a}b'; try 'reports'"),
        (["reports", "--url", "URL", "--batch", "0"], "batch must be a whole number from 1 to"),
        (["reports", "--url", "URL", "--tick-ms", "1s"], "argument --tick-ms: a whole number of 1 or more is wanted"),
        (["reports", "--url", "redis://127.0.0.1:1/0"], "no store answers at redis://127.0.0.1:1/0: "),
    ],
)
def test_a_mistake_is_told_in_one_line(valkey_url: str, words: list[str], told: str) -> None:
    with pumping(*(valkey_url if word == "URL" else word for word in words)) as process:
        _, told_by_it = process.communicate(timeout=PATIENCE_S)
    assert told_by_it.count("\n") == 1
    assert told in told_by_it
    assert process.returncode == 2
