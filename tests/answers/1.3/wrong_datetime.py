"""croniter's datetime as it comes.

test: type
mistake: a datetime
says: The answer is a datetime
"""

from datetime import UTC, datetime, timedelta

from croniter import croniter


def next_cron(expr, now_ms):
    start = datetime.fromtimestamp(now_ms / 1000, UTC) - timedelta(microseconds=1)
    return croniter(expr, start).get_next(datetime)
