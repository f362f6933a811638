"""Run every benchmark, or those named (`python -m benchmarks import cadence`); exit 1 when one misses its bar."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main(chosen: list[str]) -> int:
    names = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    if strangers := set(chosen) - set(names):
        print(f"no benchmark {', '.join(sorted(strangers))}; there are {', '.join(names)}", file=sys.stderr)
        return 2
    missed = []
    for name in chosen or names:
        print(f"== {name}", flush=True)
        if importlib.import_module(f"benchmarks.bench_{name}").main():
            missed.append(name)
        print(flush=True)
    print(f"missed its bar: {', '.join(missed)}" if missed else "every bar was met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
