"""Calls the library's own.

test: type
mistake: raises
says: Your answer stopped: the library's Cron
"""

from echomq_lab import Cron


def next_cron_tz(expr, now_ms, tz):
    return Cron(expr, tz=tz).next_at(now_ms)
