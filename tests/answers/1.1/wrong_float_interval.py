"""A gap that was reckoned in hours makes a float of the sum.

test: interval: type
mistake: a float
says: interval_next_ms is a float
only: yes
"""

cron_next_ms = 1_773_814_800_000
interval_next_ms = 1_773_210_013_250 + 0.75 * 3_600_000
