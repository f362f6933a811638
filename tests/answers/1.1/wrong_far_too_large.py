"""A power that got out of hand.

test: cron: type
mistake: far too large
says: That int is far too large
"""

cron_next_ms = 10**50
interval_next_ms = 1_773_212_713_250
