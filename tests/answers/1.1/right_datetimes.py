"""Aware datetimes, and milliseconds at the end."""

from datetime import UTC, datetime, timedelta


def unix_ms(at):
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


cron_next_ms = unix_ms(datetime(2026, 3, 18, 6, 20, tzinfo=UTC))
interval_next_ms = unix_ms(datetime(2026, 3, 11, 6, 20, 13, 250_000, tzinfo=UTC) + timedelta(minutes=45))
