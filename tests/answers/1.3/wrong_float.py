"""croniter's own float, made milliseconds.

test: type
mistake: a float
says: The answer is a float
only: yes
"""

from datetime import UTC, datetime, timedelta

from croniter import croniter


def next_cron(expr, now_ms):
    start = datetime.fromtimestamp(now_ms / 1000, UTC) - timedelta(microseconds=1)
    return croniter(expr, start).get_next(float) * 1000
