"""Leaves the template unread.

test: the job
mistake: the template unread
says: There is a job, but its payload
only: yes
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name, every_ms, _ in repeat.due(conn, queue, batch):
        if every_ms is not None:
            jobs.enqueue(conn, queue, mint(), "{}")
            repeat.advance(conn, queue, name, int(every_ms))
            fired += 1
    return fired
