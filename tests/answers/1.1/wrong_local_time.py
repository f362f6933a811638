"""The slot on the wall clock of Berlin, and a now that was read on it too.

test: cron: value
mistake: local time
says: That is the time on the wall clock of another zone
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

berlin = ZoneInfo("Europe/Berlin")
cron_next_ms = int(datetime(2026, 3, 18, 6, 20, tzinfo=berlin).timestamp() * 1000)
interval_next_ms = round((datetime(2026, 3, 11, 6, 20, 13, 250_000, berlin) + timedelta(minutes=45)).timestamp() * 1000)
