"""timestamp() times 1000 is a float.

test: cron: type
mistake: a float
says: cron_next_ms is a float
only: yes
"""

from datetime import UTC, datetime

cron_next_ms = datetime(2026, 3, 18, 6, 20, tzinfo=UTC).timestamp() * 1000
interval_next_ms = 1_773_212_713_250
