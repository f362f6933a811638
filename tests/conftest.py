"""All three stores, empty and at 08:50, for every test that asks for `conn`."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from echomq_lab.clock import FixedClock
from echomq_lab.cluster import is_cluster
from echomq_lab.embedded import NODES, EmbeddedServer
from echomq_lab.store import FAKEREDIS, VALKEY, Connection, connect

# A store is emptied by the test itself, and two busy cores make no test wrong.
_COMMON = settings(
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("desk", _COMMON)
settings.register_profile("ci", _COMMON, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")


@pytest.fixture(autouse=True)
def _no_store_of_the_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A URL in the shell must not send the tests (and their FLUSHALL) to somebody's server."""
    monkeypatch.delenv("ECHOMQ_LAB_URL", raising=False)


@pytest.fixture(scope="session")
def valkey_url() -> Iterator[str]:
    """The URL of one Valkey server for the whole run."""
    with connect(VALKEY) as conn:
        yield conn.url


@pytest.fixture(scope="session")
def cluster_url() -> Iterator[str]:
    """The URL of one cluster of three nodes for the whole run."""
    server = EmbeddedServer(NODES)
    yield server.url
    server.stop()


@pytest.fixture(scope="session")
def on_cluster(cluster_url: str) -> Iterator[Connection]:
    """A connection to that cluster: to open one asks a node for all the commands it knows."""
    with connect(cluster_url) as conn:
        yield conn


@pytest.fixture(params=["fakeredis", "valkey", "cluster"])
def store_url(request: pytest.FixtureRequest) -> str:
    """The URL of each store in turn."""
    return FAKEREDIS if request.param == "fakeredis" else str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def conn(store_url: str, request: pytest.FixtureRequest) -> Iterator[Connection]:
    """An empty store whose clock stands at 08:50."""
    clock = FixedClock("08:50")
    if is_cluster(store_url):
        opened = request.getfixturevalue("on_cluster").another(clock=clock)
    else:
        opened = connect(store_url, clock=clock)
    with opened as conn:
        conn.send("FLUSHALL")
        yield conn
