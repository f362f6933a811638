"""A datetime of this machine's clock.

test: at or after
mistake: local time
says: That is the right time on this machine's own clock
"""

from datetime import datetime, timedelta

from croniter import croniter


def next_cron(expr, now_ms):
    start = datetime.fromtimestamp(now_ms / 1000) - timedelta(microseconds=1)
    return round(croniter(expr, start).get_next(datetime).timestamp() * 1000)
