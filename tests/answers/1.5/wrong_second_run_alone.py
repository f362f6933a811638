"""A time that is shown twice runs at its second instant only.

test: overlap
mistake: the second run alone
says: You leave out the first of the two runs
only: yes
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter


def next_cron_tz(expr, now_ms, tz):
    zone = ZoneInfo(tz)
    at = datetime.fromtimestamp(-(-now_ms // 60_000) * 60, UTC)
    while True:
        wall = at.astimezone(zone)
        last = wall.replace(fold=1).utcoffset() == wall.utcoffset()
        if last and croniter.match(expr, wall.replace(tzinfo=None)):
            return int(at.timestamp()) * 1000
        at += timedelta(minutes=1)
