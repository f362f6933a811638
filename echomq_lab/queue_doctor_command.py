"""What `echomq-lab doctor --queue Q` prints: what is amiss in a queue, and commands that mend it, to paste.

The commands are redis-cli's, and valkey-cli takes the same words. They never hold a password: where the server wants
one, the client asks for it.

Source: architecture, "Rooms": `cli`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import sys
from typing import Any

from redis.connection import SSLConnection

from echomq_lab import queue_doctor
from echomq_lab.errors import shown
from echomq_lab.keyspace import queue_name
from echomq_lab.queue_doctor import Found, Report
from echomq_lab.queue_findings import KINDS, Finding, Kind, State
from echomq_lab.store import Connection, connect_to_server
from echomq_lab.wording import visible

_SIZES = {"repeat": "registered", "pending": "pending", "schedule": "scheduled", "active": "active", "dead": "dead"}
# What redis-cli reads as it stands when it is told to take its words for quoted ones.
_BARE = re.compile(r"[A-Za-z0-9_:{}.+-]+", re.ASCII)


def answer(options: argparse.Namespace) -> bool:
    """Look at the queue that the options name and print what was found; answer whether nothing is at fault.

    Raises a `LabError` for a bad queue name, or when no store is named or none answers.
    """
    queue_name(options.queue)
    with connect_to_server(options.url) as conn:
        report = queue_doctor.examine(conn, options.queue)
        client = redis_cli(conn)
        where = conn.url
    if options.json:
        print(_json(report, where, client))
    else:
        show(report, where, client)
    return report.faults == 0


def show(report: Report, where: str, client: list[str]) -> None:
    """Print what the queue holds, a table of the kinds of findings, the findings, and whether any is a fault."""
    told = ", ".join(f"{size} {_SIZES[own]}" for own, size in report.sizes.items())
    print(f"queue {shown(report.queue)} at {visible(where)}: {told or 'no sorted set'}")
    kinds = _in_order(report)
    if kinds:
        print()
    if not (kinds and _has_room() and _rich_table(kinds)):
        width = max((len(kind.name) for kind, _ in kinds), default=0)
        digits = max((len(str(found.count)) for _, found in kinds), default=0)
        for kind, found in kinds:
            print(f"{kind.name:<{width}}  {kind.state:<5}  {found.count:>{digits}}  {kind.does}")
    for kind, found in kinds:
        print(f"\n{kind.name}:")
        for finding in found.examples:
            print(f"  {_place(finding)}: {finding.holds}")
            if finding.mend:
                print(f"    mend{f' ({kind.besides})' if kind.besides else ''}: {pasted(client, finding)}")
        if kind.state is State.FAULT and found.count > len(found.examples):
            print(f"  and {found.count - len(found.examples)} more")
    print(f"\n{_verdict(report.faults)}")


def _has_room() -> bool:
    """Whether a drawn table can be read where it is printed."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and shutil.get_terminal_size().columns >= 60


def redis_cli(conn: Connection) -> list[str]:
    """The words that start redis-cli on the connection's store."""
    client: Any = conn.client
    words = ["redis-cli"]
    if hasattr(client, "get_default_node"):  # a cluster: any of its nodes, and -c sends on to the right one
        node = client.get_default_node()
        at = {**client.get_connection_kwargs(), "host": node.host, "port": node.port}
        words += ["-c"]
    else:
        at = client.connection_pool.connection_kwargs | {"connection_class": client.connection_pool.connection_class}
    if path := at.get("path"):
        words += ["-s", str(path)]
    else:
        words += ["-h", str(at.get("host", "localhost")), "-p", str(at.get("port", 6379))]
    for option, flag in (("db", "-n"), ("username", "--user")):
        if at.get(option):
            words += [flag, str(at[option])]
    if at.get("password"):
        words += ["--askpass"]
    if at.get("ssl") or at.get("connection_class") is SSLConnection:
        words += ["--tls"]
    return words


def pasted(client: list[str], finding: Finding) -> str:
    """A finding's commands as a line for a shell, whatever bytes their words hold."""
    return " && ".join(shlex.join([*client, *_words(command)]) for command in finding.mend)


def _words(command: tuple[str, ...]) -> list[str]:
    if all(word.isprintable() for word in command):
        return list(command)
    return ["--quoted-input", *(word if _BARE.fullmatch(word) else _quoted(word) for word in command)]


def _quoted(word: str) -> str:
    """A word between redis-cli's double quotes, in printable ASCII."""
    escaped = (
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}"
        for byte in word.encode("utf-8", "surrogateescape")
    )
    return f'"{"".join(escaped)}"'


def _place(finding: Finding) -> str:
    key = visible(finding.key)
    if finding.member is not None:
        return f"{key}, member {shown(finding.member)}"
    return key if finding.field is None else f"{key}, field {finding.field}"


def _in_order(report: Report) -> list[tuple[Kind, Found]]:
    return [(kind, report.found[kind]) for kind in KINDS if kind in report.found]


def _verdict(faults: int) -> str:
    if faults == 0:
        return "nothing is at fault"
    told = "1 fault" if faults == 1 else f"{faults} faults"
    return f"{told}; if the queue is in use, look again before you mend"


def _rich_table(kinds: list[tuple[Kind, Found]]) -> bool:
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    styles = {State.FAULT: "bold red", State.INFO: "yellow"}
    table = Table("what", "state", "found", "what comes of it")
    for kind, found in kinds:
        table.add_row(kind.name, Text(kind.state, styles[kind.state]), str(found.count), kind.does)
    Console(markup=False, highlight=False, emoji=False).print(table)
    return True


def _json(report: Report, where: str, client: list[str]) -> str:
    kinds: list[dict[str, Any]] = [
        {
            "kind": kind.name,
            "state": kind.state,
            "count": found.count,
            "does": kind.does,
            "besides": kind.besides,
            "examples": [
                {
                    "key": finding.key,
                    "member": finding.member,
                    "field": finding.field,
                    "holds": finding.holds,
                    "mend": pasted(client, finding) or None,
                }
                for finding in found.examples
            ],
        }
        for kind, found in _in_order(report)
    ]
    told = {"queue": report.queue, "url": where, "now_ms": report.now_ms, "sizes": report.sizes}
    return json.dumps({**told, "faults": report.faults, "kinds": kinds}, sort_keys=True)
