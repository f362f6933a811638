"""Datetimes instead of Unix milliseconds.

test: start to start
mistake: datetimes
says: The list holds datetimes
"""

from datetime import UTC, datetime, timedelta

first = datetime(2026, 1, 5, 10, 10, tzinfo=UTC)
start_to_start = [first + n * timedelta(minutes=20) for n in range(4)]
start_to_finish = [first + n * timedelta(minutes=27) for n in range(4)]
