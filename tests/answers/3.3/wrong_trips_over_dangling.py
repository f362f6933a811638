"""Does not ask whether the record is there, and stops with an error where it is not.

test: dangling
mistake: raises
says: Your answer stopped with an error
only: yes
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name, every_ms, template in repeat.due(conn, queue, batch):
        repeat.advance(conn, queue, name, int(every_ms)) if template is None else None
        jobs.enqueue(conn, queue, mint(), template)
        repeat.advance(conn, queue, name, int(every_ms))
        fired += 1
    return fired
