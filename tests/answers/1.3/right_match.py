"""croniter asked of every minute from now on whether it matches."""

from datetime import UTC, datetime, timedelta

from croniter import croniter


def next_cron(expr, now_ms):
    at = datetime.fromtimestamp(-(-now_ms // 60_000) * 60, UTC)
    while not croniter.match(expr, at):
        at += timedelta(minutes=1)
    return int(at.timestamp()) * 1000
