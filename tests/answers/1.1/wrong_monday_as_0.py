"""Weekday 3 taken for Thursday, as datetime.weekday() has it.

test: cron: value
mistake: Monday as 0
says: That is tomorrow's 06:20
only: yes
"""

cron_next_ms = 1_773_210_000_000 + 24 * 60 * 60 * 1000
interval_next_ms = 1_773_212_713_250
