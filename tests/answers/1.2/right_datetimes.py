"""By aware datetimes and a timedelta, with whole milliseconds at the end."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def next_interval(prev_ms, every_ms):
    prev = EPOCH + timedelta(milliseconds=prev_ms)
    return (prev + timedelta(milliseconds=every_ms) - EPOCH) // timedelta(milliseconds=1)
