"""Each under the other's name.

test: cron: value
mistake: the gap for the slot
says: That is the interval's next run
"""

cron_next_ms, interval_next_ms = 1_773_212_713_250, 1_773_814_800_000
