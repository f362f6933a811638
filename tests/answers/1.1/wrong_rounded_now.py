"""The seconds of the previous run dropped, as if an interval fired on the minute.

test: interval: value
mistake: a rounded now
says: The seconds or milliseconds of now were dropped
only: yes
"""

cron_next_ms = 1_773_814_800_000
interval_next_ms = 1_773_210_000_000 + 45 * 60_000
