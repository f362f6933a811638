"""Stops at the first name without a record.

test: dangling
mistake: stops at the dangling name
says: The sweep ends at the name without a record
only: yes
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if template is None:
            break
        jobs.enqueue(conn, queue, mint(), template)
        repeat.advance(conn, queue, name, int(every_ms))
        fired += 1
    return fired
