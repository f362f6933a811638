"""What `import echomq_lab` costs beside `import redis`, which it needs: less than twice as long.

    python -m benchmarks import

Each pair imports the one and the other in fresh interpreters, in turns which goes first.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

from benchmarks.table import Limit, Measured, Row

ROWS = (Row("import echomq_lab to import redis", "ms", Limit("under", 2)),)
PAIRS = 25
TIMED = "from time import perf_counter_ns as now; began = now(); import {}; print(now() - began)"


def import_ms(module: str) -> float:
    command = [sys.executable, "-c", TIMED.format(module)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) / 1e6


def run() -> list[Measured]:
    """Print both medians; answer the row."""
    times: dict[str, list[float]] = {"echomq_lab": [], "redis": []}
    for module in times:
        import_ms(module)
    for pair in range(PAIRS):
        for module in times if pair % 2 else reversed(times):
            times[module].append(import_ms(module))
    for module, found in times.items():
        print(f"import {module:<10} {median(found):7.1f} ms")
    ratio = median(ours / theirs for ours, theirs in zip(*times.values(), strict=True))
    return [ROWS[0].measured(median(times["echomq_lab"]), ratio)]
