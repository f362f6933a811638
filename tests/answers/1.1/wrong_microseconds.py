"""The interval's run in microseconds.

test: interval: type
mistake: another scale
says: interval_next_ms is no instant of 2026
"""

cron_next_ms = 1_773_814_800_000
interval_next_ms = 1_773_212_713_250_000
