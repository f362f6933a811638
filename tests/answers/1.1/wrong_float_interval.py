"""A gap that was reckoned in hours makes a float of the sum.

test: interval: type
says: interval_next_ms is no int
only: yes
"""

cron_next_ms = 1_773_814_800_000
interval_next_ms = 1_773_210_013_250 + 0.75 * 3_600_000
