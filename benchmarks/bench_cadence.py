"""What `Cron.next_at` costs beside a bare croniter, as the median of paired, interleaved ratios.

    python -m benchmarks cadence

Each pair times one batch of each, one right after the other and in turns which goes first, so that a slow moment of
the machine falls on both. On plain expressions in UTC the ratio is to stay at or under 2. The baseline is given a
naive start, on which croniter is fastest; zones are shown beside croniter on an aware start, whose answers around
clock changes are not the same.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from datetime import datetime, timedelta
from statistics import median
from time import perf_counter_ns
from zoneinfo import ZoneInfo

from croniter import croniter

from benchmarks.table import Limit, Measured, Row
from echomq_lab.cadence import Cron
from echomq_lab.clock import EPOCH, LAB_DAY_MS

ROWS = (Row("next_at to croniter, the worst expression in UTC", "µs", Limit("at most", 2)),)
PAIRS = 200
BATCH = 20
NOW_MS = LAB_DAY_MS + 8 * 3_600_000 + 50 * 60_000
PLAIN = ("* * * * *", "0 9 * * *", "*/15 * * * *", "30 8 * * MON-FRI", "0 0 1 * *", "0 9 13 * FRI", "0 0 29 2 *")
ZONED = (("0 9 * * *", "Europe/Berlin"), ("30 1 * * *", "America/New_York"), ("0 0 1 * *", "Pacific/Apia"))


def batch_ns(call: Callable[[], object]) -> int:
    began = perf_counter_ns()
    for _ in range(BATCH):
        call()
    return perf_counter_ns() - began


def measure(expr: str, tz: str) -> tuple[float, float, float]:
    """Microseconds of the lab's call and of croniter's, and the median of their ratios."""
    cron = Cron(expr, tz)
    start = EPOCH + timedelta(milliseconds=NOW_MS)
    start = start.replace(tzinfo=None) if tz == "UTC" else start.astimezone(ZoneInfo(tz))

    def lab() -> int:
        return cron.next_at(NOW_MS)

    def bare() -> datetime:
        return croniter(expr, start).get_next(datetime)

    lab(), bare()
    lab_ns, bare_ns = [], []
    for pair in range(PAIRS):
        order = (lab_ns, lab), (bare_ns, bare)
        for times, call in order if pair % 2 else reversed(order):
            times.append(batch_ns(call))
    ratios = [mine / theirs for mine, theirs in zip(lab_ns, bare_ns, strict=True)]
    return median(lab_ns) / BATCH / 1_000, median(bare_ns) / BATCH / 1_000, median(ratios)


def run() -> list[Measured]:
    """Print what each expression costs; answer the row of the worst plain one."""
    gc.disable()
    print(f"{'expression':<18} {'zone':<18} {'next_at':>10} {'croniter':>10} {'ratio':>6}")
    plain = []
    for expr, tz in (*((expr, "UTC") for expr in PLAIN), *ZONED):
        lab_us, bare_us, ratio = measure(expr, tz)
        if tz == "UTC":
            plain.append((ratio, lab_us))
        print(f"{expr:<18} {tz:<18} {lab_us:>7.1f} us {bare_us:>7.1f} us {ratio:>6.2f}")
    gc.enable()
    worst, lab_us = max(plain)
    return [ROWS[0].measured(lab_us, worst)]
