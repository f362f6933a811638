"""What croniter's get_next(float) says: seconds, and a float.

test: type
mistake: a float of seconds
says: That is a float of the right instant in seconds
"""

from datetime import UTC, datetime, timedelta

from croniter import croniter


def next_cron(expr, now_ms):
    start = datetime.fromtimestamp(now_ms / 1000, UTC) - timedelta(microseconds=1)
    return croniter(expr, start).get_next(float)
