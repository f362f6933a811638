"""A datetime instead of a score.

test: cron: type
mistake: a datetime
says: cron_next_ms is a datetime
"""

from datetime import UTC, datetime, timedelta

cron_next_ms = datetime(2026, 3, 18, 6, 20, tzinfo=UTC)
interval_next_ms = datetime(2026, 3, 11, 6, 20, 13, 250_000, tzinfo=UTC) + timedelta(minutes=45)
