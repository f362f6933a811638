"""A time that is shown twice runs at its first instant only.

test: overlap
mistake: one run in the overlap
says: You run the slot once
only: yes
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter


def next_cron_tz(expr, now_ms, tz):
    zone = ZoneInfo(tz)
    at = datetime.fromtimestamp(-(-now_ms // 60_000) * 60, UTC)
    while at.astimezone(zone).fold or not croniter.match(expr, at.astimezone(zone).replace(tzinfo=None)):
        at += timedelta(minutes=1)
    return int(at.timestamp()) * 1000
