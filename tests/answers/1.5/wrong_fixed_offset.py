"""The offset of now for every instant.

test: zone
mistake: a fixed offset
says: You take one offset for all days
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter


def next_cron_tz(expr, now_ms, tz):
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    offset = now.astimezone(ZoneInfo(tz)).utcoffset()
    slot = croniter(expr, now + offset - timedelta(microseconds=1)).get_next(datetime)
    return round((slot - offset).timestamp() * 1000)
