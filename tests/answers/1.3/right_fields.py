"""By hand: croniter reads the fields, and days, hours and minutes are gone through in order."""

from datetime import UTC, datetime, timedelta

from croniter import croniter


def values(field, low, high):
    return range(low, high + 1) if field == ["*"] else sorted(field)


def next_cron(expr, now_ms):
    minutes, hours, days, months, weekdays = croniter.expand(expr)[0]
    now = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=now_ms)
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    while True:
        by_day = days == ["*"] or day.day in days
        by_weekday = weekdays == ["*"] or day.isoweekday() % 7 in weekdays
        either = days != ["*"] and weekdays != ["*"]
        if (by_day or by_weekday if either else by_day and by_weekday) and day.month in values(months, 1, 12):
            for hour in values(hours, 0, 23):
                for minute in values(minutes, 0, 59):
                    at = day.replace(hour=hour, minute=minute)
                    if at >= now:
                        return int(at.timestamp()) * 1000
        day += timedelta(days=1)
