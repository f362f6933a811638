"""The wall clock's slots by croniter, each with the instants at which it is shown: none, one or two."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter


def shown_at(wall, zone):
    for fold in (0, 1):
        at = wall.replace(tzinfo=zone, fold=fold).astimezone(UTC)
        if at.astimezone(zone).replace(tzinfo=None) == wall:
            yield round(at.timestamp() * 1000)


def next_cron_tz(expr, now_ms, tz):
    zone = ZoneInfo(tz)
    wall = datetime.fromtimestamp(now_ms / 1000, zone).replace(tzinfo=None)
    # What was shown in the last hours may be shown again.
    slots = croniter(expr, wall - timedelta(hours=3), ret_type=datetime)
    found = []
    while not found or slots.get_current() < wall + timedelta(hours=3):
        found += [at_ms for at_ms in shown_at(slots.get_next(), zone) if at_ms >= now_ms]
    return min(found)
