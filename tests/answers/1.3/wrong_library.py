"""Calls the library's own.

test: type
mistake: raises
says: Your answer stopped: the library's Cron
"""

from echomq_lab import Cron


def next_cron(expr, now_ms):
    return Cron(expr).next_at(now_ms)
