"""A cluster's client: redis-py's, told to send nothing twice.

    valkey+cluster://host:port,host:port     any of its nodes; they tell of the others
    valkeys+cluster://...                    the same over TLS

A redirection (MOVED, ASK) is followed, since the node that sends it has done nothing. A lost line is not: redis-py
would refresh its map of the nodes and send the command again, and a claim sent twice pops a second job. It still
refreshes the map, so the next command goes where the slot is then.

A command without keys goes to one node, those that are about all keys to every primary (FLUSHALL, DBSIZE, KEYS).
Scripts are loaded where a node answers; the slot's own node did, for it said NOSCRIPT.

Source: architecture, `store`; wire contract, "Slots".
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.exceptions import AskError, RedisClusterException, SlotNotCoveredError, TryAgainError
from redis.retry import Retry

_URL = re.compile(r"(?:valkey|redis)(s?)\+cluster://((?:[^/?#@]*@)?)([^/?#@]+)(?:/0?)?(\?[^#]*)?")
_SCHEME = re.compile(r"(?:valkey|redis)s?\+cluster://")
_HASHTAG = re.compile(r"[^{]*\{[^}]+\}")
#: What is about all keys, and what its answers by node come to.
_ALL_KEYS = {
    "FLUSHALL": all,
    "FLUSHDB": all,
    "DBSIZE": sum,
    "KEYS": lambda held: [key for keys in held for key in keys],
}


class NoClusterError(Exception):
    """The server is there and is not in cluster mode."""


class ClusterClient(redis.RedisCluster):
    """redis-py's client of the cluster that the node at `url`, a redis:// URL, is of."""

    _shares_lines = False

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(url=url, retry=Retry(NoBackoff(), 0), require_full_coverage=False, **options)
        for name, together in _ALL_KEYS.items():
            self.command_flags[name] = self.PRIMARIES
            self.result_callbacks[name] = lambda _, by_node, together=together: together(by_node.values())

    def beside(self) -> ClusterClient:
        """Another client on the same lines, whose commands nobody listens to."""
        other = copy.copy(self)
        for name in ("execute_command", "pipeline"):
            vars(other).pop(name, None)
        other._shares_lines = True
        return other

    def together(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """Send commands on keys of one slot in one round trip; answer their replies, an error reply as its exception.

        redis-py's pipeline for clusters sends again what a lost line left without a reply, so this is the node's own.
        """
        slot = (self.determine_slot(*self._named(tuple(commands[0]))) if commands else None) or 0
        if slot not in self.nodes_manager.slots_cache:
            self.nodes_manager.initialize()
        pipe = self.get_redis_connection(self.nodes_manager.get_node_from_slot(slot)).pipeline(transaction=False)
        for words in commands:
            pipe.execute_command(*words)  # type: ignore[no-untyped-call]
        try:
            replies = pipe.execute(raise_on_error=False)
        except (redis.ConnectionError, redis.TimeoutError):
            self.nodes_manager.initialize()  # the slot may have another node by now
            raise
        return [
            self._reply_or_error(words) if isinstance(reply, AskError | TryAgainError) else reply
            for words, reply in zip(commands, replies, strict=True)
        ]

    def _reply_or_error(self, words: Sequence[Any]) -> Any:
        try:
            return self.execute_command(*words)
        except redis.ResponseError as error:
            return error

    def shares(self) -> list[tuple[int, int, list[str]]]:
        """The first and the last slot of each range, and all keys that its node holds, in the order of the slots."""
        ranges: dict[tuple[int, int], Any] = self.execute_command("CLUSTER SLOTS")
        shares = []
        for (first, last), told in sorted(ranges.items()):
            node = self.get_node(*told["primary"][:2])  # type: ignore[no-untyped-call]
            shares.append((first, last, self.execute_command("KEYS", "*", target_nodes=node)))
        return shares

    def where(self, prefix: str) -> dict[str, Any]:
        """The nodes that may hold keys with a prefix, as an option of SCAN: one, when the hashtag is in it."""
        if not _HASHTAG.match(prefix):
            return {"target_nodes": self.PRIMARIES}
        self.exists(prefix)  # a node that has given the slot away says where it went
        return {"target_nodes": self.get_node_from_key(prefix)}  # type: ignore[no-untyped-call]

    def execute_command(self, *words: Any, **options: Any) -> Any:
        """Send a command to the nodes that it is for, once."""
        words = self._named(words)
        if "target_nodes" not in options:
            if words[0] == "SCRIPT LOAD":
                first, *_ = self._of_primaries(words, options)
                return first
            if words[0] == "COMMAND":
                return next(self._of_primaries(words, options))
        try:
            return super().execute_command(*words, **options)  # type: ignore[no-untyped-call]
        except SlotNotCoveredError:
            # Nobody had the slot when the map was made, and nothing was sent. redis-py would not look again.
            self.nodes_manager.initialize()
            return super().execute_command(*words, **options)  # type: ignore[no-untyped-call]

    def determine_slot(self, *words: Any) -> int | None:
        """The slot of a command's keys; any, where the server is to say what is wrong with the command."""
        name = words[0].lower().split()[0]
        try:
            slot: int | None = super().determine_slot(*words)
        except (IndexError, ValueError):  # too few words, or no number of keys
            return 0
        except RedisClusterException as error:
            known = self.commands_parser.commands.get(name)
            if known is None or (len(words) == 1 and known["first_key_pos"] > 0):
                return 0
            why = (
                f"the keys of {words[0]} are on different slots, and a command is for one"
                if "same key slot" in str(error)
                else f"{words[0]} names no key, so no node can be told to be the one for it"
            )
            raise RedisClusterException(why) from None
        except redis.RedisError as error:
            if type(error) is not redis.RedisError:
                raise
            return 0
        return slot

    def close(self) -> None:
        """Close the lines. A command that is sent all the same opens them again, as with a single server."""
        if not self._shares_lines:
            self.disconnect_connection_pools()  # type: ignore[no-untyped-call]

    def _named(self, words: tuple[Any, ...]) -> tuple[Any, ...]:
        """The words with the command's name as redis-py knows it: one text, of two words where it has two."""
        first, *rest = (word.decode("utf-8", "replace") if isinstance(word, bytes) else word for word in words[:2])
        two = " ".join([first, *map(str, rest)]).upper()
        return (two, *words[2:]) if rest and two in self.command_flags else (first.upper(), *words[1:])

    def _of_primaries(self, words: tuple[Any, ...], options: dict[str, Any]) -> Iterator[Any]:
        """The answers of the primaries that can be reached. Raises when none can."""
        lost: Exception | None = None
        answered = False
        for node in self.get_primaries():  # type: ignore[no-untyped-call]
            try:
                yield super().execute_command(*words, target_nodes=node, **options)  # type: ignore[no-untyped-call]
                answered = True
            except (redis.ConnectionError, redis.TimeoutError) as error:
                lost = error
        if lost is not None and not answered:
            raise lost


def is_cluster(url: str) -> bool:
    """Whether a URL is one of a cluster's."""
    return _SCHEME.match(url) is not None


def nodes(url: str) -> list[str]:
    """The redis:// URL of each node that a cluster's URL names. Raises `ValueError` for what is no such URL."""
    found = _URL.fullmatch(url)
    if found is None:
        raise ValueError("no URL of a cluster")
    tls, user, hosts, options = found.groups(default="")
    if not all(hosts.split(",")):
        raise ValueError("a host without a name")
    return [f"redis{tls}://{user}{host}/0{options}" for host in hosts.split(",")]


def join(seeds: list[tuple[str, redis.Redis]], **options: Any) -> ClusterClient:
    """The client of the cluster that the first node to answer is of.

    Raises `NoClusterError` when the server that answers is none of a cluster, else what redis-py raises.
    """
    lost: Exception | None = None
    for url, seed in seeds:
        try:
            if not seed.execute_command("CLUSTER SLOTS"):  # type: ignore[no-untyped-call]
                raise NoClusterError("the cluster there has no slots yet")
        except redis.ResponseError as error:
            if "cluster support disabled" not in str(error):
                raise
            raise NoClusterError("the server there is not in cluster mode") from error
        except (redis.ConnectionError, redis.TimeoutError) as error:
            lost = error
            continue
        finally:
            seed.close()
        return ClusterClient(url, **options)
    assert lost is not None
    raise lost
