"""Answers how many jobs are pending.

test: count
says: The answer must be how many occurrences this sweep fired
only: yes
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if template is not None:
            jobs.enqueue(conn, queue, mint(), template)
            repeat.advance(conn, queue, name, int(every_ms))
    return jobs.pending_size(conn, queue)
