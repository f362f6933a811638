"""The first run of a registration with first_in_ms 0, which is due at once.

test: interval: value
mistake: the first run
says: That is now itself
only: yes
"""

cron_next_ms = 1_773_814_800_000
interval_next_ms = 1_773_210_013_250
