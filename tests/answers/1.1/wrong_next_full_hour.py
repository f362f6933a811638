"""The gap counted from the next full hour instead of from the previous run.

test: interval: value
mistake: from the next full hour
says: You count from the next full hour
only: yes
"""

cron_next_ms = 1_773_814_800_000
interval_next_ms = 1_773_212_400_000 + 45 * 60_000
