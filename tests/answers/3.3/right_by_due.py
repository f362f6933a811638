"""By the library's verbs: due, enqueue, advance."""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if template is None:
            repeat.cancel(conn, queue, name)
            continue
        jobs.enqueue(conn, queue, mint(), template)
        repeat.advance(conn, queue, name, int(every_ms))
        fired += 1
    return fired
