"""croniter, started just before now."""

from datetime import UTC, datetime, timedelta

from croniter import croniter


def next_cron(expr, now_ms):
    start = datetime.fromtimestamp(now_ms / 1000, UTC) - timedelta(microseconds=1)
    return round(croniter(expr, start).get_next(float) * 1000)
