"""Unix seconds for Unix milliseconds.

test: at or after
mistake: seconds for milliseconds
says: That is the right instant in seconds
"""

from datetime import UTC, datetime, timedelta

from croniter import croniter


def next_cron(expr, now_ms):
    start = datetime.fromtimestamp(now_ms / 1000, UTC) - timedelta(microseconds=1)
    return int(croniter(expr, start).get_next(float))
