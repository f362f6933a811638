"""A datetime instead of a score.

test: type
mistake: a datetime
says: The answer is a datetime
"""

from datetime import UTC, datetime, timedelta


def next_interval(prev_ms, every_ms):
    return datetime.fromtimestamp(prev_ms / 1000, UTC) + timedelta(milliseconds=every_ms)
