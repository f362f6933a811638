"""The milliseconds of now are cut off, and with them the time that has passed since the slot.

test: milliseconds
mistake: back in time
says: You answer a time that is past
only: yes
"""

from datetime import UTC, datetime, timedelta

from croniter import croniter


def next_cron(expr, now_ms):
    minute = datetime.fromtimestamp(now_ms // 60_000 * 60, UTC)
    return round(croniter(expr, minute - timedelta(seconds=1)).get_next(float) * 1000)
