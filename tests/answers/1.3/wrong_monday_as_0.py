"""By hand, with weekdays as datetime.weekday() counts them.

test: weekday
mistake: Monday as 0
says: You count weekdays from Monday as 0
only: yes
"""

from datetime import UTC, datetime


def matches(field, value, low, high):
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, last = (low, high) if span == "*" else (int(span.split("-")[0]), int(span.split("-")[-1]))
        if first <= value <= last and (value - first) % int(step or 1) == 0:
            return True
    return False


def next_cron(expr, now_ms):
    minute, hour, day, month, weekday = expr.split()
    at_ms = -(-now_ms // 60_000) * 60_000
    while True:
        at = datetime.fromtimestamp(at_ms // 1000, UTC)
        days = matches(day, at.day, 1, 31), matches(weekday, at.weekday(), 0, 6)
        day_fits = any(days) if day != "*" and weekday != "*" else all(days)
        if (
            day_fits
            and matches(minute, at.minute, 0, 59)
            and matches(hour, at.hour, 0, 23)
            and matches(month, at.month, 1, 12)
        ):
            return at_ms
        at_ms += 60_000
