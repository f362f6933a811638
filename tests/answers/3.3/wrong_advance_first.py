"""Advance before enqueue.

test: killed
mistake: advance before enqueue
says: You advance before you enqueue
only: yes
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if template is not None:
            repeat.advance(conn, queue, name, int(every_ms))
            jobs.enqueue(conn, queue, mint(), template)
            fired += 1
    return fired
