"""Prints how many fired, and returns nothing.

test: count
mistake: nothing returned
says: The function returns nothing
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if template is not None:
            jobs.enqueue(conn, queue, mint(), template)
            repeat.advance(conn, queue, name, int(every_ms))
            fired += 1
    print(fired)
