"""Counted on a calendar: a week after Wednesday 11 March, and 45 minutes after now."""

now_ms = 1_773_210_013_250  # Wednesday 11 March 2026, 06:20:13.250 UTC

# Today's 06:20 has gone by, so the slot is next Wednesday's: a week later, and on the minute.
cron_next_ms = now_ms - 13_250 + 7 * 24 * 60 * 60 * 1000
interval_next_ms = now_ms + 45 * 60 * 1000
