"""One id for all occurrences of a sweep.

test: fresh ids
mistake: one id for all
says: All occurrences of the sweep share one id
only: yes
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    job_id = mint()
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if template is not None:
            jobs.enqueue(conn, queue, job_id, template)
            repeat.advance(conn, queue, name, int(every_ms))
            fired += 1
    return fired
