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
from urllib.parse import unquote_plus, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.exceptions import (
    AuthorizationError,
    ClusterDownError,
    ClusterError,
    MovedError,
    RedisClusterException,
    SlotNotCoveredError,
)
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
_TRY_SERVER = "'redis://localhost:6379/0' or 'valkey+cluster://localhost:6379'"
_TRY = f"try {FAKEREDIS!r}, {VALKEY!r}, {CLUSTER!r}, {_TRY_SERVER}"

_CONNECT_S = 1.0
_REPLY_S = 30.0
#: How long `connect` waits in all for an answer, name look-up included.
_PATIENCE_S = 2.5

#: What redis-py raises when a server is there and will not serve: its words say why.
_REFUSALS = (redis.ResponseError, redis.AuthenticationError, AuthorizationError, redis.BusyLoadingError)

_OPTIONS: dict[str, Any] = {"decode_responses": True, "encoding_errors": "surrogateescape"}
_TIMEOUTS: dict[str, Any] = {"socket_connect_timeout": _CONNECT_S, "socket_timeout": _REPLY_S}
_VALKEYS_OWN = re.compile(r"^valkey(s?)://")
_UNKNOWN_OPTION = re.compile(r"unexpected keyword argument '(.*)'", re.DOTALL)
#: A socket's path behind something that is neither a user nor a password.
_NO_PATH = re.compile(r"unix://[^/@]+(?:/|$)")

# What `masked` shows. A password may hold any character that should have been escaped.
_SCHEME = re.compile(r"(?:[^:/?#@]*://)?")
#: Where the options or the fragment begin. A ? or # with an @ and no = before it is inside a password.
_TAIL = re.compile(r"[?#](?=[^@]*\Z|[^@=]*=)")
_USER_INFO = re.compile(r"([^:]*:).*@", re.DOTALL)
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]*(?:%\w+)?\]|[^:]*)(?::(.*))?", re.DOTALL)
_PORT = re.compile(r"[0-9]{0,5}")
_HARMLESS = re.compile(
    r"(?:db|protocol|max_connections|health_check_interval|timeout|socket_timeout|socket_connect_timeout)=[0-9.]*"
    r"|(?:decode_responses|socket_keepalive|ssl_check_hostname|ssl_cert_reqs)=(?:[Tt]rue|[Ff]alse|none|optional|required)"
    r"|client_name=[A-Za-z0-9_.@:+-]*"
)
_PASSWORD_OPTIONS = ("password", "ssl_password")
_HIDDEN = "***"


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

        For what may be done twice or not at all: when the line is lost (`StoreError`), any number of them may have been
        done. On a cluster each command needs a key, all of them of one queue. While a trace is recorded they go out
        one at a time. Raises `ArgumentError` for what is no list of commands, before anything is sent.
        """
        checked = _commands(commands)
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


def _commands(commands: Sequence[Sequence[str | bytes | float]]) -> list[list[str | bytes | float]]:
    hint = "try conn.together([['GET', 'k'], ['TTL', 'k']])"
    arguments.instance("commands", commands, (list, tuple), "a list of commands", hint)
    for place, command in enumerate(commands):
        arguments.instance(f"command {place}", command, (list, tuple), "a list of words", hint)
    return [_words(command) for command in commands]


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
    clock, node = _clock_and_node(clock, node)
    if url == FAKEREDIS:
        return Connection(_fakeredis(), clock, url=url, node=node)
    if url == VALKEY:
        server = EmbeddedServer()
        return Connection(_reach(server.url), clock, url=server.url, node=node, server=server)
    if url == CLUSTER:
        server = EmbeddedServer(NODES)
        return Connection(_reach(server.url), clock, url=masked(server.url), node=node, server=server)
    return Connection(_reach(url), clock, url=masked(url), node=node)


def connect_to_server(url: str | None, *, clock: Clock | None = None) -> Connection:
    """Connect to a server that other processes reach as well, as a command of the command line does.

    Without a URL it is the one that ECHOMQ_LAB_URL names. The clock and the node are those of `connect`.
    Raises a `LabError` when neither is given or when it is an embedded store's, else what `connect` raises.
    """
    url = plain(url or os.environ.get(URL_VARIABLE))
    hint = f"try --url redis://localhost:6379/0, or set {URL_VARIABLE}"
    if not url:
        raise LabError(f"a server is needed that other processes reach; {hint}")
    if type(url) is not str:
        raise ArgumentError("the server", url, "a URL", hint)
    if url.startswith("embedded:"):
        raise ArgumentError("the server", masked(url), "one that other processes reach", hint)
    clock, node = _clock_and_node(clock, None)
    return Connection(_reach(url, or_embedded=False), clock, url=masked(url), node=node)


def _clock_and_node(clock: Clock | None, node: int | None) -> tuple[Clock, int]:
    clock = clock if clock is not None else SystemClock()
    takes_clock(clock)
    if node is None:
        node = secrets.randbelow(MAX_NODE + 1) if isinstance(clock, SystemClock) else 0
    return clock, node


def masked(url: str) -> str:
    """A URL that may be shown: what is a password in it, or could be a part of one, replaced by ***.

    Of the options only those show their value that cannot hold a secret.
    """
    scheme = _SCHEME.match(url)[0]  # type: ignore[index]  # it may be empty
    rest = url[len(scheme) :]
    found = _TAIL.search(rest)
    address, tail = (rest[: found.start()], rest[found.start() :]) if found else (rest, "")
    options, hash_sign, fragment = tail.partition("#")
    return scheme + _address(address, scheme) + _options(options) + hash_sign + (_HIDDEN if fragment else "")


def _address(address: str, scheme: str) -> str:
    if not address.startswith("/"):
        address = _USER_INFO.sub(rf"\1{_HIDDEN}@", address, count=1)
    user, at, place = address.rpartition("@") if not address.startswith("/") else ("", "", address)
    hosts, slash, path = place.partition("/")
    shown_hosts = ",".join(map(_host, hosts.split(",") if cluster.is_cluster(scheme.lower()) else [hosts]))
    if ":" in hosts and not _PORT.fullmatch(path):
        path = _HIDDEN  # a password is behind a colon, and may hold a slash
    return user + at + shown_hosts + slash + path


def _host(host: str) -> str:
    """A host and its port. What is behind its colon and no port is the password of a URL that forgot its @."""
    name, port = _HOST.fullmatch(host).groups()  # type: ignore[union-attr]  # it matches any text
    if port is None:
        return host
    return f"{name}:{port if _PORT.fullmatch(port) else _HIDDEN}"


def _options(options: str) -> str:
    if not options:
        return ""
    told: list[str] = []
    hidden = False
    for piece in options[1:].split("&"):
        if _HARMLESS.fullmatch(piece):
            told.append(piece)
            continue
        name, equals, _ = piece.partition("=")
        # redis-py reads names unescaped. After a value that was hidden a name may be the rest of it, behind a raw &.
        known = unquote_plus(name).strip().lower() in _PASSWORD_OPTIONS
        told.append(f"{name}={_HIDDEN}" if equals and (known or not hidden) else _HIDDEN)
        hidden = True
    return "?" + "&".join(told)


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


def _reach(url: str, *, or_embedded: bool = True) -> Client:
    """The client of the server or cluster at a URL; `or_embedded` when an embedded store would do as well."""
    seeds = _seeds(url, _TRY if or_embedded else f"try {_TRY_SERVER}")
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
        raise _unreachable(url, f"no answer within {_PATIENCE_S} seconds", or_embedded)
    if isinstance(failure[0], cluster.NoClusterError):
        raise StoreError(
            f"no cluster answers at {_one_line(masked(url))}: {failure[0]}\n"
            "a single server's URL is redis://host:port; a cluster's has nodes that share out the slots"
        ) from failure[0]
    if option := _UNKNOWN_OPTION.search(str(failure[0])):
        known = "one whose options redis-py knows, escaped as URLs are"
        if f"{option[1]}=" in masked(url):
            known = f"one without the option {option[1]!r}, which redis-py does not know"
        raise ArgumentError("url", masked(url), known)
    if isinstance(failure[0], _REFUSALS):
        raise StoreError(
            f"cannot use the store at {_one_line(masked(url))}: {_one_line(str(failure[0]))}"
        ) from failure[0]
    raise _unreachable(url, str(failure[0]), or_embedded) from failure[0]


def _seeds(url: str, hint: str) -> list[tuple[str, redis.Redis]]:
    """A client, not yet connected, of each server that the URL names, with the server's own URL."""
    with contextlib.suppress(ValueError, TypeError):
        _check_place(url)
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
    if cluster.is_cluster(url.lower()):
        allowed = "valkey+cluster://host:port,host:port without a database, escaped as URLs are"
        if sum("@" in host for host in url.split(",")) > 1:
            hint = "give the user and the password once, before the first host"
    elif url.startswith("valkey+unix"):
        hint = "write unix:// for valkey+unix://"
    raise ArgumentError("url", masked(url), allowed, hint)


def _check_place(url: str) -> None:
    """Refuse a URL whose host or path, as redis-py reads it, is hidden by `masked`: an error would tell it."""
    url.encode("utf-8", "surrogateescape")
    if cluster.is_cluster(url):
        return
    parts = urlsplit(url)
    place = (parts.path if parts.scheme == "unix" else parts.hostname) or ""
    if _NO_PATH.match(url) or place.lower() not in masked(url).lower():
        raise ValueError("a password that is not escaped")


def _unreachable(url: str, why: str, or_embedded: bool) -> StoreError:
    hint = f"\nstart one there, or leave out the URL (and {URL_VARIABLE}) for the embedded store" if or_embedded else ""
    return StoreError(f"no store answers at {_one_line(masked(url))}: {_one_line(why)}{hint}")


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
