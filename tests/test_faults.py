"""Pumps and servers killed, lines cut, at chosen moments and at random: nothing is lost, and what doubles is bounded.

A faithful sweep that is cut off may run one occurrence twice, the one between its enqueue and its advance. An atomic
sweep runs none twice, even when its reply is lost: what is done is not due any more.

A random test prints its seed when it fails; SEED=... runs it with that one again.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from echomq_lab import jobs, pump, repeat, scripts
from echomq_lab.clock import FixedClock
from echomq_lab.errors import StoreError
from echomq_lab.keyspace import job_key
from echomq_lab.pump import Pump
from echomq_lab.store import Connection, connect
from tests.books import NAMES, Books, Q
from tests.cutting_proxy import AFTER, BEFORE, HALF, HALF_REPLY, MOMENTS, CuttingProxy
from tests.kennel import Kennel
from tests.lasting_valkey import LastingValkey
from tests.long_counts import COMMAND_KILLS, CUTS, PUMP_KILLS, SERVER_KILLS, tenth

PATIENCE_S = 30
TICK_MS = 10
WAYS = ["sweep", "sweep_atomic"]
#: How many occurrences one fault may make run twice.
TWICE = {"sweep": 1, "sweep_atomic": 0}


def whole_and_tenth(count: int) -> list[object]:
    return [tenth(count), pytest.param(count, marks=pytest.mark.soak)]


@pytest.fixture
def chance() -> Random:
    seed = int(os.environ.get("SEED") or secrets.randbelow(2**32))
    print(f"SEED={seed}")  # shown with a failure and at no other time
    return Random(seed)


@pytest.fixture
def valkey(valkey_url: str) -> Iterator[Connection]:
    with connect(valkey_url) as conn:
        load_scripts(conn)
        yield conn


@pytest.fixture(scope="module")
def kennel() -> Iterator[Kennel]:
    with Kennel() as forks:
        yield forks


def load_scripts(conn: Connection) -> None:
    """So that every command of a sweep is sent once."""
    for name in scripts.NAMES:
        conn.client.script_load(scripts.source(name))


def until(what: Callable[[], bool]) -> None:
    """Poll for what another process does."""
    deadline = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.001)


@dataclass
class Command:
    """`echomq-lab pump`, running as a process."""

    process: subprocess.Popen[bytes]
    log: Path

    def events(self) -> list[dict[str, object]]:
        """What it has logged."""
        lines = self.log.read_text("utf-8").splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]


@contextmanager
def killed_with_the_tests(running: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kill a process at the end of the block, and when the tests themselves are killed: it would try for ever."""
    words = ["sh", "-c", 'read _; kill -KILL "$0"', str(running.pid)]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as watch:
        try:
            yield
        finally:
            watch.kill()
            running.kill()


@contextmanager
def process(url: str, way: str) -> Iterator[Command]:
    asked = ["--url", url, "--tick-ms", str(TICK_MS), *(["--atomic"] if way == "sweep_atomic" else [])]
    words = [sys.executable, "-m", "echomq_lab", "pump", Q, *asked]
    quiet = subprocess.DEVNULL
    # A file for the log: a pipe that nobody reads would be full one day, and the process stand still.
    with (
        tempfile.NamedTemporaryFile() as log,
        subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=log) as running,
        killed_with_the_tests(running),
    ):
        command = Command(running, Path(log.name))
        until(lambda: bool(command.events()))
        yield command


@contextmanager
def thread(url: str, way: str) -> Iterator[Pump]:
    with connect(url) as conn, Pump(conn, Q, TICK_MS, atomic=way == "sweep_atomic") as running:
        yield running


# ------------------------------------------------------------------------------------------------- the pump is killed


@pytest.mark.parametrize("kills", whole_and_tenth(PUMP_KILLS))
@pytest.mark.parametrize("way", WAYS)
def test_a_pump_is_killed_at_a_random_moment(
    valkey: Connection, kennel: Kennel, chance: Random, way: str, kills: int
) -> None:
    books = Books(valkey)
    took_s, midway = 0.0, 0
    for number in range(kills + 1):
        books.open()
        released = 0
        if number > 0:  # the first round is for the time that a sweep takes
            kennel.pump(valkey.url, Q, way)
            time.sleep(chance.uniform(0, took_s))
            kennel.kill()
            released = books.balance(twice_at_most=TWICE[way])
        midway += 0 < released < len(NAMES)
        began_s = time.perf_counter()
        getattr(pump, way)(valkey, Q)
        if released == 0:
            took_s = time.perf_counter() - began_s
        assert books.balance(twice_at_most=TWICE[way]) == len(NAMES)
    assert midway > 0 if way == "sweep" else midway == 0  # one script is done or it is not


@pytest.mark.parametrize("kills", whole_and_tenth(COMMAND_KILLS))
@pytest.mark.parametrize("way", WAYS)
def test_the_process_is_killed_at_a_random_command(valkey: Connection, chance: Random, way: str, kills: int) -> None:
    """The line is cut there and the process killed: cut first, so that the very command is known."""
    books = Books(valkey)
    for _ in range(kills):
        with CuttingProxy(valkey.url) as proxy:
            books.open()
            name = chance.choice(SENT[way])
            proxy.cut(name, chance.choice(MOMENTS), chance.randint(1, len(NAMES)) if name in OF_EACH else 1)
            with process(proxy.url, way) as command:
                until(proxy.done.is_set)
                command.process.kill()
                command.process.wait(PATIENCE_S)
        books.balance(twice_at_most=TWICE[way])
        getattr(pump, way)(valkey, Q)
        assert books.balance(twice_at_most=TWICE[way]) == len(NAMES)


# ----------------------------------------------------------------------------------------------- the server is killed


@pytest.mark.parametrize("kills", whole_and_tenth(SERVER_KILLS))
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("running", [thread, process])
def test_the_server_is_killed_and_the_pump_comes_back_by_itself(
    chance: Random, running: Callable[[str, str], AbstractContextManager[object]], way: str, kills: int
) -> None:
    with ExitStack() as ends:
        server = ends.enter_context(LastingValkey())
        conn = ends.enter_context(connect(server.url))
        books = Books(conn)
        ends.enter_context(running(server.url, way))
        took_s = 0.0
        for number in range(kills + 1):
            books.open()
            began_s = time.perf_counter()
            if number > 0:  # the first round is for the time that a tick and a sweep take
                time.sleep(chance.uniform(0, took_s))
                server.kill()
                server.start()
                conn.client.connection_pool.disconnect()
            until(books.settled)
            took_s = took_s or time.perf_counter() - began_s
            assert books.balance(twice_at_most=TWICE[way]) == len(NAMES)


# --------------------------------------------------------------------------------------------------- the line is cut

#: The commands of a sweep in their order.
SENT = {
    "sweep": ["promote", "zrangebyscore", "hmget", "enqueue", "advance"],
    "sweep_atomic": ["promote", "zcount", "sweep"],
}
#: Those that are sent for each occurrence.
OF_EACH = ["hmget", "enqueue", "advance"]
#: Where a cut makes the occurrence run twice: it was enqueued, and not advanced.
RUNS_TWICE = {("enqueue", AFTER), ("enqueue", HALF_REPLY), ("advance", BEFORE), ("advance", HALF)}


@pytest.mark.parametrize("way", WAYS)
def test_the_commands_of_a_sweep(valkey: Connection, way: str) -> None:
    """What is cut in these tests is all that there is."""
    Books(valkey).open()
    with CuttingProxy(valkey.url) as proxy, connect(proxy.url) as conn:
        del proxy.seen[:]
        getattr(pump, way)(conn, Q)
        assert list(dict.fromkeys(proxy.seen)) == SENT[way]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize(("way", "name"), [(way, name) for way, names in SENT.items() for name in names])
def test_a_cut_at_each_command_of_a_sweep(valkey_url: str, way: str, name: str, moment: str) -> None:
    """Cut at the second of three where there are three."""
    with CuttingProxy(valkey_url) as proxy, connect(proxy.url, clock=FixedClock("08:50")) as conn:
        conn.send("FLUSHALL")
        load_scripts(conn)
        jobs.enqueue_in(conn, Q, conn.mint(), "one-shot", 0)
        for each in "abc":
            repeat.register(conn, Q, each, 900_000, each)
        running = Pump(conn, Q, atomic=way == "sweep_atomic")
        proxy.cut(name, moment, 2 if name in OF_EACH else 1)
        with pytest.raises(StoreError):
            running.step()
        assert proxy.done.is_set()
        running.step()
        found = [conn.send("HGET", job_key(Q, each), "payload") for each in jobs.browse(conn, Q, 10)]
        twice = ["b"] if (name, moment) in RUNS_TWICE else []
        assert sorted(found) == sorted(["one-shot", "a", "b", "c", *twice])
        assert repeat.due_names(conn, Q, 10) == []


@pytest.mark.parametrize("cuts", whole_and_tenth(CUTS))
@pytest.mark.parametrize("way", WAYS)
def test_a_pump_whose_line_is_cut_at_random_comes_back_by_itself(
    valkey: Connection, chance: Random, way: str, cuts: int
) -> None:
    books = Books(valkey)
    with CuttingProxy(valkey.url) as proxy, thread(proxy.url, way):
        for _ in range(cuts):
            name = chance.choice(SENT[way])
            proxy.cut(name, chance.choice(MOMENTS), chance.randint(1, len(NAMES)) if name in OF_EACH else 1)
            books.open()
            until(lambda: proxy.done.is_set() and books.settled())
            assert books.balance(twice_at_most=TWICE[way]) == len(NAMES)


# ---------------------------------------------------------------------------------------------- it is asked to stop


@pytest.mark.parametrize("moment", [BEFORE, AFTER])
@pytest.mark.parametrize(("way", "name", "nth"), [("sweep", "enqueue", 10), ("sweep_atomic", "sweep", 1)])
def test_a_process_that_is_asked_to_stop_finishes_its_sweep(
    valkey: Connection, way: str, name: str, nth: int, moment: str
) -> None:
    books = Books(valkey)
    ended: list[bool] = []
    with CuttingProxy(valkey.url) as proxy, process(proxy.url, way) as command:

        def ask() -> None:
            """In the middle of the sweep, which waits here for longer than the process takes to hear of it."""
            command.process.send_signal(signal.SIGTERM)
            try:
                command.process.wait(0.5)
                ended.append(True)
            except subprocess.TimeoutExpired:
                ended.append(False)

        proxy.cut(name, moment, nth, instead=ask)
        books.open()
        until(proxy.done.is_set)
        sweeps = proxy.seen.count("promote")
        assert command.process.wait(PATIENCE_S) == 0
        assert ended == [False]
        assert proxy.seen.count("promote") == sweeps
        assert books.balance(twice_at_most=0) == len(NAMES)
        sweep, stopped = [each for each in command.events() if each["event"] in ("sweep", "stopped")]
        assert (sweep["event"], sweep["fired"]) == ("sweep", len(NAMES))
        assert (stopped["event"], stopped["fired"]) == ("stopped", len(NAMES))
