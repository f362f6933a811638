"""A datetime of this machine's clock, read as UTC.

test: value
mistake: local time
says: That is the right time on this machine's own clock
only: yes
"""

from datetime import UTC, datetime, timedelta


def next_interval(prev_ms, every_ms):
    prev = datetime.fromtimestamp(prev_ms // 1000)
    there = (prev + timedelta(milliseconds=every_ms)).replace(tzinfo=UTC)
    return round(there.timestamp() * 1000) + prev_ms % 1000
