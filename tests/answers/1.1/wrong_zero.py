"""No answer at all: a number that is as good as any other.

test: cron: type
mistake: another scale
says: cron_next_ms is no instant of 2026
"""

cron_next_ms = 0
interval_next_ms = 0
