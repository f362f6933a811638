"""Unix seconds for Unix milliseconds.

test: cron: type
mistake: seconds for milliseconds
says: That is the right instant in seconds
"""

cron_next_ms = 1_773_814_800
interval_next_ms = 1_773_212_713
