"""What a whole run leaves behind: RESULTS.md, the picture, and the README's part with the picture and its numbers."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import fakeredis
import redis

from benchmarks import bench_sweeps, peers, picture, table
from echomq_lab.store import VALKEY, connect

PROJECT = Path(__file__).resolve().parent.parent
RESULTS = PROJECT / "benchmarks" / "RESULTS.md"
PICTURE = PROJECT / "docs" / "images" / "occurrences.svg"
README = PROJECT / "README.md"
_PART = re.compile(r"(?<=<!-- written by make bench -->\n).*?(?=<!-- end -->)", re.DOTALL)

_HEAD = """\
# Results

Written by `make bench`, which measures all of this in one run and prints the same table; not edited by hand. Where a
row says "A to B", the ratio is A's figure over B's, measured in turns; of the sweeps and all that stands with them it
is the median over {rounds} rounds. What exactly is timed, of the lab and of each peer, and where it is not the same
thing, stands at the top of each `bench_*.py`.

"""


def write(found: Iterable[table.Measured], day: date) -> list[str]:
    """Write all three; answer the files, as they are called in the project."""
    found = list(found)
    by_row = {each.row: each for each in found}
    rates = {name: by_row[row].figure or 0.0 for name, row in bench_sweeps.PICTURED.items()}
    RESULTS.write_text(page(found, machine(day)), "utf-8")
    PICTURE.write_text(picture.svg(rates), "utf-8")
    README.write_text(_PART.sub(lambda _: part(rates), README.read_text("utf-8")), "utf-8")
    return [str(path.relative_to(PROJECT)) for path in (RESULTS, PICTURE, README)]


def page(found: Iterable[table.Measured], about: dict[str, str]) -> str:
    """RESULTS.md, for what was found and where."""
    where = "\n".join(f"- {name}: {value}" for name, value in about.items())
    return f"{_HEAD.format(rounds=bench_sweeps.ROUNDS)}{table.markdown(found)}\n\n## Where\n\n{where}\n"


def part(rates: dict[str, float]) -> str:
    """The README's part: the picture with its text alternative, and its numbers in a table."""
    lines = "\n".join(f"| {name} | {table.number(rate)} |" for name, rate in rates.items())
    where = PICTURE.relative_to(PROJECT).as_posix()
    return f"\n![{picture.alt(rates)}]({where})\n\n| | occurrences a second |\n| --- | ---: |\n{lines}\n\n"


def machine(day: date) -> dict[str, str]:
    """What it ran on and with, without any name of the machine's own."""
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    with connect(VALKEY) as conn:
        valkey = conn.client.info("server")["valkey_version"]
    versions = {
        "Python": platform.python_version(),
        "Valkey": valkey,
        "redis-py": redis.__version__,
        "fakeredis": fakeredis.__version__,
        "Node.js": node.removeprefix("v"),
    }
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        {
            "date": day.isoformat(),
            "processor": f"{_processor()}, {len(os.sched_getaffinity(0))} cores",
            "memory": f"{memory:.0f} GiB",
            "system": _system(),
        }
        | versions
        | peers.versions()
    )


def _processor() -> str:
    try:
        told = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        told = ""
    found = re.search(r"^model name\s*: (.+)$", told, re.MULTILINE)
    return found[1] if found else platform.machine()


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()
