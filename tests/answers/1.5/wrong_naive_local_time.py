"""The zone's wall clock without its zone, read on this machine's clock.

test: at or after
mistake: local time
says: You mix two wall clocks
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter


def next_cron_tz(expr, now_ms, tz):
    wall = datetime.fromtimestamp(now_ms / 1000, ZoneInfo(tz)).replace(tzinfo=None)
    slot = croniter(expr, wall - timedelta(microseconds=1)).get_next(datetime)
    return round(slot.timestamp() * 1000)
