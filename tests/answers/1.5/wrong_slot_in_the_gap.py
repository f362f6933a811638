"""An instant for every wall-clock time, the skipped ones too.

test: gap
mistake: a slot in the gap
says: You run a slot that the wall clock never shows
only: yes
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter


def next_cron_tz(expr, now_ms, tz):
    wall = datetime.fromtimestamp(now_ms / 1000, ZoneInfo(tz)).replace(tzinfo=None)
    slots = croniter(expr, wall - timedelta(hours=3), ret_type=datetime)
    found = []
    while not found or slots.get_current() < wall + timedelta(hours=3):
        slot = slots.get_next().replace(tzinfo=ZoneInfo(tz))
        both_ms = [round(slot.replace(fold=fold).timestamp() * 1000) for fold in (0, 1)]
        found += [at_ms for at_ms in both_ms if at_ms >= now_ms]
    return min(found)
