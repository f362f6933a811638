"""Ignores the batch.

test: batch
mistake: the batch ignored
says: More than `batch` registrations
only: yes
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name, every_ms, template in repeat.due(conn, queue, 100):
        if template is not None:
            jobs.enqueue(conn, queue, mint(), template)
            repeat.advance(conn, queue, name, int(every_ms))
            fired += 1
    return fired
