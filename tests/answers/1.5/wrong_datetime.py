"""The wall clock's datetime as it comes.

test: type
mistake: a datetime
says: The answer is a datetime
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter


def next_cron_tz(expr, now_ms, tz):
    at = datetime.fromtimestamp(-(-now_ms // 60_000) * 60, UTC)
    while not croniter.match(expr, at.astimezone(ZoneInfo(tz)).replace(tzinfo=None)):
        at += timedelta(minutes=1)
    return at.astimezone(ZoneInfo(tz))
