"""Counts a name without a record as fired.

test: dangling
mistake: the dangling name counted
says: The name without a record is counted
only: yes
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    due = repeat.due(conn, queue, batch)
    for name, every_ms, template in due:
        if template is None:
            repeat.cancel(conn, queue, name)
        else:
            jobs.enqueue(conn, queue, mint(), template)
            repeat.advance(conn, queue, name, int(every_ms))
    return len(due)
