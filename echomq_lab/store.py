"""The store: embedded fakeredis, an embedded Valkey or cluster, or one that is already there.

    connect()                               ECHOMQ_LAB_URL if set, else embedded fakeredis
    connect("embedded://fakeredis")         a new, empty store in this process
    connect("embedded://valkey")            a new, empty Valkey server of this connection's own
    connect("embedded://valkey-cluster")    a new, empty cluster of three of them, up in some two seconds
    connect("valkey+cluster://host:6379")   a cluster, by one or more of its nodes, with commas between; see `cluster`
    connect("redis://host:6379/0")          any other URL goes to redis-py as it is; valkey:// is redis://

Values come back as `str`: UTF-8, with other bytes kept by surrogateescape. redis-py's retries are off: a claim sent
twice would pop a second job, and a register sent twice would say `exists` to the boot that made it.

Source: wire contract, "Facts about the stores, tried".
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, TypeAlias, TypeVar, cast

import redis
from redis.backoff import NoBackoff
from redis.exceptions import ClusterDownError, ClusterError, MovedError, RedisClusterException, SlotNotCoveredError
from redis.retry import Retry

from echomq_lab import arguments, cluster
from echomq_lab.clock import Clock, SystemClock, reading_ms, takes_clock
from echomq_lab.cluster import ClusterClient
from echomq_lab.embedded import NODES, EmbeddedServer
from echomq_lab.errors import ArgumentError, KindError, LabError, ReplyError, StaleError, StoreError, plain, shown
from echomq_lab.ids import MAX_NODE, Minter

FAKEREDIS = "embedded://fakeredis"
VALKEY = "embedded://valkey"
CLUSTER = "embedded://valkey-cluster"
URL_VARIABLE = "ECHOMQ_LAB_URL"
_TRY = f"try {FAKEREDIS!r}, {VALKEY!r}, 'redis://localhost:6379/0' or 'valkey+cluster://localhost:6379'"

_CONNECT_S = 1.0
_REPLY_S = 30.0
#: How long `connect` waits in all for an answer, name look-up included.
_PATIENCE_S = 2.5

_OPTIONS: dict[str, Any] = {"decode_responses": True, "encoding_errors": "surrogateescape"}
_TIMEOUTS: dict[str, Any] = {"socket_connect_timeout": _CONNECT_S, "socket_timeout": _REPLY_S}
# A password may hold what should have been escaped: all from the first colon to the last @ is hidden, but for the
# options. A path alone (unix:///run/valkey.sock) has none.
_OPTIONS_PART = re.compile(r"\?[a-z_]+=[^?]*$")
_PASSWORD = re.compile(r"^((?:[^:]*://)?+[^:]*:).*@", re.DOTALL)
_VALKEYS_OWN = re.compile(r"^valkey(s?)://")
_UNKNOWN_OPTION = re.compile(r"unexpected keyword argument '(\w+)'")
_PASSWORD_OPTION = re.compile(r"([?&][a-z_]*password=)[^&]*")


Verb = TypeVar("Verb", bound=Callable[..., Any])
Client: TypeAlias = redis.Redis | ClusterClient


class Connection:
    """A store, a clock and a minter: what every verb takes first.

    `client` is the redis-py client, `clock` the clock, `url` where the store is (password masked).
    Close it, or use it as a context manager; an embedded store goes with it.
    """

    def __init__(
        self,
        client: Client,
        clock: Clock,
        *,
        url: str,
        node: int,
        server: EmbeddedServer | None = None,
    ) -> None:
        self.client = client
        self.clock = clock
        self.url = url
        self._minter = Minter(clock, node)
        self._server = server

    def another(self, *, clock: Clock | None = None, node: int = 0) -> Connection:
        """Another connection to the same store over the same lines, as another process would have it.

        A recording of this one does not see it. It is on the same clock unless given, and mints ids of `node`.
        """
        client: Client = (
            self.client.beside()
            if isinstance(self.client, ClusterClient)
            else redis.Redis(connection_pool=self.client.connection_pool)
        )
        return Connection(client, self.clock if clock is None else clock, url=self.url, node=node)

    @contextlib.contextmanager
    def on_one_line(self) -> Iterator[Connection]:
        """This connection with one line of the pool to itself while the block runs.

        To take a line for each command costs a third of it. A store that has no such lines, a cluster and a connection
        that is recorded are answered as they are.
        """
        if type(self.client) is not redis.Redis or "execute_command" in vars(self.client):
            yield self
            return
        with self.telling(self.client.client) as client:
            held = Connection(client, self.clock, url=self.url, node=0)
            held._minter = self._minter
            yield held

    def now_ms(self) -> int:
        """Unix milliseconds by the connection's clock."""
        return reading_ms(self.clock)

    def mint(self, namespace: str = "JOB") -> str:
        """A fresh branded id, minted on this host."""
        return self._minter.mint(namespace)

    def mint_many(self, count: int) -> list[str]:
        """So many fresh JOB ids, for a batch."""
        return self._minter.mint_many(count)

    def server_now(self) -> list[str]:
        """The last argument of a script that asks the server's clock: the lab's time, or nothing on a system clock."""
        return [] if isinstance(self.clock, SystemClock) else [str(self.now_ms())]

    def send(self, *command: str | bytes | float) -> Any:
        """Send one command and answer its reply. Raises a `LabError` for an error reply or a lost line."""
        words = _words(command)
        return self.telling(lambda: self.client.execute_command(*words))  # type: ignore[no-untyped-call]

    def together(self, commands: Sequence[Sequence[str | bytes | float]]) -> list[Any]:
        """Send several commands in one round trip and answer their replies, an error reply as its `LabError`.

        For what may be done twice or not at all, in one queue: when the line is lost (`StoreError`), any number of them
        may have been done. While a trace is recorded they go out one at a time.
        """
        checked = [_words(command) for command in commands]
        if "execute_command" in vars(self.client):
            one_by_one: list[Any] = self.telling(lambda: [self._or_error(words) for words in checked])
            return one_by_one
        replies = [
            _caused(reply, self.url) if isinstance(reply, redis.RedisError) else reply
            for reply in self.telling(lambda: _replies(self.client, checked))
        ]
        for reply in replies:
            if isinstance(reply, StoreError):
                raise reply
        return replies

    def _or_error(self, words: list[str | bytes | float]) -> Any:
        try:
            return self.client.execute_command(*words)  # type: ignore[no-untyped-call]
        except redis.ResponseError as error:
            return _caused(error, self.url)

    def telling(self, call: Callable[[], Any]) -> Any:
        """Call, and tell what redis-py raises as a `LabError`."""
        return telling(call, self.url)

    def close(self) -> None:
        """Close the connection, and stop the embedded server if it has one; again is harmless."""
        self.client.close()
        if self._server is not None:
            self._server.stop()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Connection {self.url} {self.clock!r}>"


def _replies(client: Client, commands: list[list[str | bytes | float]]) -> list[Any]:
    if isinstance(client, ClusterClient):
        return client.together(commands)
    pipe = client.pipeline(transaction=False)
    for words in commands:
        pipe.execute_command(*words)  # type: ignore[no-untyped-call]
    replies: list[Any] = pipe.execute(raise_on_error=False)
    return replies


def _words(command: Sequence[str | bytes | float]) -> list[str | bytes | float]:
    words = [arguments.word(f"word {place} of the command", word) for place, word in enumerate(command)]
    if not words or isinstance(words[0], int | float) or not words[0].strip():
        raise ArgumentError("a command", command, "its name and then its words", "try conn.send('PING')")
    return words


def telling(call: Callable[[], Any], url: str = "the store") -> Any:
    """Call, and tell what redis-py raises as a `LabError`."""
    try:
        return call()
    except (redis.RedisError, RedisClusterException) as error:
        raise _told(error, url) from error


def takes_connection(verb: Verb) -> Verb:
    """A verb that refuses, as its first check, what is no connection."""

    @wraps(verb)
    def checked(conn: Connection, *args: Any, **kwargs: Any) -> Any:
        arguments.instance("conn", conn, Connection, "a connection", "make one with conn = connect()")
        return verb(conn, *args, **kwargs)

    return cast(Verb, checked)


def connect(url: str | None = None, *, clock: Clock | None = None, node: int | None = None) -> Connection:
    """Connect to a store and answer the connection.

    `url` is one of the forms of the module's docstring. `clock` is a `SystemClock` unless given. `node` (0 to 1023)
    marks the ids minted here; unless given it is 0 on a clock of the lab's, so that runs repeat, and random on
    the system's, so that two pumps seldom share one.
    Raises `StoreError` within three seconds when nothing answers, `ArgumentError` for what is no URL.
    """
    if url is None:
        url = os.environ.get(URL_VARIABLE) or FAKEREDIS
    url = plain(url)
    if type(url) is not str:
        raise ArgumentError("url", url, "text", _TRY)
    clock = clock if clock is not None else SystemClock()
    takes_clock(clock)
    if node is None:
        node = secrets.randbelow(MAX_NODE + 1) if isinstance(clock, SystemClock) else 0
    if url == FAKEREDIS:
        return Connection(_fakeredis(), clock, url=url, node=node)
    if url == VALKEY:
        server = EmbeddedServer()
        return Connection(_reach(server.url), clock, url=server.url, node=node, server=server)
    if url == CLUSTER:
        server = EmbeddedServer(NODES)
        return Connection(_reach(server.url), clock, url=masked(server.url), node=node, server=server)
    return Connection(_reach(url), clock, url=masked(url), node=node)


def masked(url: str) -> str:
    """A URL that may be shown: its password, and those among its options, replaced by ***."""
    options = found[0] if (found := _OPTIONS_PART.search(url)) else ""
    address = url.removesuffix(options)
    if "@" in options and "@" not in address:
        address, options = url, ""  # it may be the end of a password that holds a question mark
    if not address.startswith("unix:///"):
        address = _PASSWORD.sub(r"\1***@", address)
    return _PASSWORD_OPTION.sub(r"\1***", address + options)


def _fakeredis() -> redis.Redis:
    try:
        import fakeredis
    except ImportError as error:
        raise StoreError("the embedded store needs fakeredis: pip install 'fakeredis[lua]'") from error
    client: redis.Redis = fakeredis.FakeRedis(server_type="valkey", **_OPTIONS)
    try:
        client.eval("return 1", 0)
    except redis.ResponseError as error:
        raise StoreError("fakeredis is here without Lua: pip install 'fakeredis[lua]'") from error
    return client


def _reach(url: str) -> Client:
    seeds = _seeds(url)
    reached: list[Client] = []
    failure: list[Exception] = []

    def probe() -> None:
        try:
            if cluster.is_cluster(url):
                reached.append(cluster.join(seeds, **_TIMEOUTS, **_OPTIONS))
            else:
                seeds[0][1].ping()
                reached.append(seeds[0][1])
        except Exception as error:  # an unknown option and a host that is no name come as they are
            failure.append(error)

    # A thread, because nothing else bounds the look-up of a name.
    waiter = threading.Thread(target=probe, daemon=True)
    waiter.start()
    waiter.join(_PATIENCE_S)
    if reached:
        return reached[0]
    for _, seed in seeds:
        seed.close()
    if not failure:
        raise _unreachable(url, f"no answer within {_PATIENCE_S} seconds")
    if isinstance(failure[0], cluster.NoClusterError):
        raise StoreError(
            f"no cluster answers at {_one_line(masked(url))}: {failure[0]}\n"
            "a single server's URL is redis://host:port; a cluster's has nodes that share out the slots"
        ) from failure[0]
    if option := _UNKNOWN_OPTION.search(str(failure[0])):
        raise ArgumentError("url", masked(url), f"one without the option {option[1]!r}, which redis-py does not know")
    raise _unreachable(url, str(failure[0])) from failure[0]


def _seeds(url: str) -> list[tuple[str, redis.Redis]]:
    """A client, not yet connected, of each server that the URL names, with the server's own URL."""
    with contextlib.suppress(ValueError, TypeError):
        urls = cluster.nodes(url) if cluster.is_cluster(url) else [_VALKEYS_OWN.sub(r"redis\1://", url)]
        timeouts = _TIMEOUTS
        if cluster.is_cluster(url):
            # One after the other, all of them within the patience.
            each_s = min(_CONNECT_S, _PATIENCE_S / (len(urls) + 1))
            timeouts = {"socket_connect_timeout": each_s, "socket_timeout": each_s}
        return [
            (each, redis.Redis.from_url(each, retry=Retry(NoBackoff(), 0), **timeouts, **_OPTIONS)) for each in urls
        ]
    # Without redis-py's own words: they may quote a part of the password.
    allowed = "redis://, rediss:// or unix://, escaped as URLs are"
    if cluster.is_cluster(url):
        allowed = "valkey+cluster://host:port,host:port without a database, escaped as URLs are"
    elif url.startswith("valkey+unix"):
        raise ArgumentError("url", masked(url), allowed, "write unix:// for valkey+unix://")
    raise ArgumentError("url", masked(url), allowed, _TRY)


def _unreachable(url: str, why: str) -> StoreError:
    return StoreError(
        f"no store answers at {_one_line(masked(url))}: {_one_line(why)}\n"
        f"start one there, or leave out the URL (and {URL_VARIABLE}) for the embedded store"
    )


def _one_line(text: str) -> str:
    return shown(text, 300)[1:-1]


def _caused(error: redis.RedisError, url: str) -> LabError:
    """What is told of an error, which stays its cause."""
    told = _told(error, url)
    told.__cause__ = error
    return told


def _told(error: redis.RedisError | RedisClusterException, url: str) -> LabError:
    text = str(error)
    if isinstance(error, MovedError):
        return ReplyError(f"{url} is a node of a cluster, and the key is on another; connect by valkey+cluster://")
    if isinstance(error, ClusterDownError | SlotNotCoveredError):
        return StoreError(f"{url} does not serve the slot for now: {text}; what was sent last was not done")
    if type(error) is ClusterError:
        return StoreError(f"{url} is moving the slot key by key: {text.rstrip('.')}; what was sent last was not done")
    if isinstance(error, RedisClusterException) and error.__cause__ is None:
        return ReplyError(f"a cluster does not take this command: {text}")
    if text.startswith("EMQKIND"):
        return KindError(text)
    if text.startswith("EMQSTALE"):
        return StaleError(text)
    if isinstance(error, redis.ConnectionError | redis.TimeoutError | RedisClusterException):
        return StoreError(f"the line to {url} was lost: {text}; what was sent last may or may not have been done")
    return ReplyError(text)
