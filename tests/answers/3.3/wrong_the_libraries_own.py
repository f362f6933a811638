"""Calls the library's sweep.

test: the job
mistake: raises
says: Your answer stopped: the library's sweep is what
"""

from echomq_lab import pump


def sweep(conn, queue, now_ms, mint, batch):
    return pump.sweep(conn, queue, batch).fired
