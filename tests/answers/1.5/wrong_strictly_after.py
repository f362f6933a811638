"""The search begins at the minute after now.

test: at or after
mistake: strictly after
says: You skip the slot that is now
only: yes
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter


def next_cron_tz(expr, now_ms, tz):
    at = datetime.fromtimestamp((now_ms // 60_000 + 1) * 60, UTC)
    while not croniter.match(expr, at.astimezone(ZoneInfo(tz)).replace(tzinfo=None)):
        at += timedelta(minutes=1)
    return int(at.timestamp()) * 1000
