"""The zone is not asked.

test: zone
mistake: no zone
says: That is the slot in UTC
"""

from datetime import UTC, datetime, timedelta

from croniter import croniter


def next_cron_tz(expr, now_ms, tz):
    start = datetime.fromtimestamp(now_ms / 1000, UTC) - timedelta(microseconds=1)
    return round(croniter(expr, start).get_next(float) * 1000)
