"""A slot that has just begun is taken for one that is still ahead.

test: cron: value
mistake: back in time
says: That slot has begun already
only: yes
"""

cron_next_ms = 1_773_210_000_000
interval_next_ms = 1_773_212_713_250
