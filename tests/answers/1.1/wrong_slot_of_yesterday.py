"""A week counted from the wrong end: the Tuesday before.

test: cron: value
says: cron_next_ms is not the earliest slot
only: yes
"""

cron_next_ms = 1_773_814_800_000 - 24 * 60 * 60 * 1000
interval_next_ms = 1_773_212_713_250
