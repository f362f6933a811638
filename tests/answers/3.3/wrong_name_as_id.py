"""The registration's name as the job's id: the library refuses it.

test: the job
mistake: raises
says: Your answer stopped: id must be a branded id
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name, every_ms, template in repeat.due(conn, queue, batch):
        jobs.enqueue(conn, queue, name, template)
        repeat.advance(conn, queue, name, int(every_ms))
        fired += 1
    return fired
