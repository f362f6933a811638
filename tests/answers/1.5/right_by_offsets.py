"""Each offset that the zone has in these days has its own slots; those count at which the zone has that offset."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter


def next_cron_tz(expr, now_ms, tz):
    zone = ZoneInfo(tz)
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    found = []
    for offset in {(now + timedelta(days=days)).astimezone(zone).utcoffset() for days in range(8)}:
        slots = croniter(expr, now + offset - timedelta(microseconds=1), ret_type=datetime)
        at = slots.get_next() - offset
        while at.astimezone(zone).utcoffset() != offset and at < now + timedelta(days=8):
            at = slots.get_next() - offset
        found.append(at)
    return round(min(found).timestamp() * 1000)
