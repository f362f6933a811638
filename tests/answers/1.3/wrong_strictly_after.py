"""croniter's get_next at the slot itself.

test: at or after
mistake: strictly after
says: You skip the slot that is now
only: yes
"""

from datetime import UTC, datetime

from croniter import croniter


def next_cron(expr, now_ms):
    start = datetime.fromtimestamp(now_ms / 1000, UTC)
    return round(croniter(expr, start).get_next(float) * 1000)
