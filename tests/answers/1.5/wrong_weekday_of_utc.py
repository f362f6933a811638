"""Hour and minute of the zone, and the day of UTC.

test: zone
mistake: UTC's weekday
says: The time is the zone's and the weekday is UTC's
only: yes
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter


def shown_at(wall, zone):
    for fold in (0, 1):
        at = wall.replace(tzinfo=zone, fold=fold).astimezone(UTC)
        if at.astimezone(zone).replace(tzinfo=None) == wall:
            yield at


def next_cron_tz(expr, now_ms, tz):
    minute, hour, *days = expr.split()
    wall = datetime.fromtimestamp(now_ms / 1000, ZoneInfo(tz)).replace(tzinfo=None)
    slots = croniter(f"{minute} {hour} * * *", wall - timedelta(hours=3), ret_type=datetime)
    found = []
    while not found or slots.get_current() < wall + timedelta(hours=3):
        for at in shown_at(slots.get_next(), ZoneInfo(tz)):
            at_ms = round(at.timestamp() * 1000)
            if at_ms >= now_ms and croniter.match(" ".join(["*", "*", *days]), at):
                found.append(at_ms)
    return min(found)
