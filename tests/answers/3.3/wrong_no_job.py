"""Advances and makes no job.

test: the job
mistake: no job
says: The registration is due, and the sweep makes no job
"""

from echomq_lab import repeat


def sweep(conn, queue, now_ms, mint, batch):
    due = repeat.due(conn, queue, batch)
    for each in due:
        repeat.advance(conn, queue, each.name, int(each.every_ms or 1))
    return len(due)
