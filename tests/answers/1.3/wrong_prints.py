"""Prints the slot and returns nothing.

test: type
mistake: nothing returned
says: The function returns nothing
"""

from datetime import UTC, datetime, timedelta

from croniter import croniter


def next_cron(expr, now_ms):
    start = datetime.fromtimestamp(now_ms / 1000, UTC) - timedelta(microseconds=1)
    print(croniter(expr, start).get_next(datetime))
