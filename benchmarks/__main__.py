"""Run every benchmark, or those named (`python -m benchmarks import cadence`); exit 1 when one misses its bar.

A run of all that could measure all writes RESULTS.md, the picture, and the README's part with both.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import sys
from pathlib import Path

from benchmarks import results, table


def names() -> list[str]:
    """The benchmarks, the scheduler's own first."""
    found = (path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    return sorted(found, key=lambda name: (name != "sweeps", name))


def rows() -> list[table.Row]:
    """What the table tells, read from the benchmarks without measuring."""
    return [row for name in names() for row in importlib.import_module(f"benchmarks.bench_{name}").ROWS]


def main(argv: list[str]) -> int:
    """Measure, print, and write down a whole run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure speed against the stated bars.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(names())}; all unless named")
    parser.add_argument("--date", type=datetime.date.fromisoformat, default=datetime.date.today(), help="of RESULTS.md")
    chosen = parser.parse_args(argv)
    if strangers := set(chosen.names) - set(names()):
        parser.error(f"no benchmark {', '.join(sorted(strangers))}; there are {', '.join(names())}")
    found: list[table.Measured] = []
    for name in chosen.names or names():
        print(f"== {name}", flush=True)
        module = importlib.import_module(f"benchmarks.bench_{name}")
        measured = module.run()
        assert [each.row for each in measured] == list(module.ROWS)
        found += measured
        print(flush=True)
    print(table.text(found))
    print()
    missing = [each for each in found if each.figure is None]
    if not chosen.names and not missing:
        print("written:", *results.write(found, chosen.date), sep="\n  ")
    for each in missing:
        print(f"not measured: {each.row.name}: {each.why}")
    missed = [each.row.name for each in found if not each.met]
    print("missed its bar:" if missed else "every bar was met", *missed, sep="\n  ")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
