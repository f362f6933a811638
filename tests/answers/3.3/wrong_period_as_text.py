"""The period is passed on as the store holds it.

test: the job
mistake: raises
says: Your answer stopped: every_ms must be whole milliseconds
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    due = [each for each in repeat.due(conn, queue, batch) if each.template is not None]
    for name, every_ms, template in due:
        jobs.enqueue(conn, queue, mint(), template)
        repeat.advance(conn, queue, name, every_ms)
    return len(due)
