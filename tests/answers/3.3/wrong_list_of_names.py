"""Answers the names that fired.

test: count
mistake: the list for its length
says: The answer is a collection
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = []
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if template is not None:
            jobs.enqueue(conn, queue, mint(), template)
            repeat.advance(conn, queue, name, int(every_ms))
            fired.append(name)
    return fired
