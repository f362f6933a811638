"""What `import echomq_lab` costs beside `import redis`, which it needs: less than twice as long.

    python -m benchmarks import

Each pair imports the one and the other in fresh interpreters, in turns which goes first.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

LIMIT = 2.0
PAIRS = 25
TIMED = "from time import perf_counter_ns as now; began = now(); import {}; print(now() - began)"


def import_ms(module: str) -> float:
    command = [sys.executable, "-c", TIMED.format(module)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) / 1e6


def main() -> int:
    """Print both medians and their ratio; answer 1 when the ratio is not under the limit, else 0."""
    times: dict[str, list[float]] = {"echomq_lab": [], "redis": []}
    for module in times:
        import_ms(module)
    for pair in range(PAIRS):
        for module in times if pair % 2 else reversed(times):
            times[module].append(import_ms(module))
    ratio = median(ours / theirs for ours, theirs in zip(*times.values(), strict=True))
    for module, found in times.items():
        print(f"import {module:<10} {median(found):7.1f} ms")
    print(f"ratio: {ratio:.2f} (limit: under {LIMIT})")
    return int(ratio >= LIMIT)
