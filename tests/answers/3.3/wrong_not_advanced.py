"""Nothing is advanced, so the run is due again at the next tick.

test: the next run
mistake: not advanced
says: The entry keeps its score
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    due = [each for each in repeat.due(conn, queue, batch) if each.template is not None]
    for each in due:
        jobs.enqueue(conn, queue, mint(), each.template)
    return len(due)
