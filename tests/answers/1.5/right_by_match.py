"""Every minute from now on: does the zone's wall clock match?"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter


def next_cron_tz(expr, now_ms, tz):
    zone = ZoneInfo(tz)
    at = datetime.fromtimestamp(-(-now_ms // 60_000) * 60, UTC)
    while not croniter.match(expr, at.astimezone(zone).replace(tzinfo=None)):
        at += timedelta(minutes=1)
    return int(at.timestamp()) * 1000
