"""The next run counted from the old score.

test: the next run
mistake: from the score
says: You count from the old score
only: yes
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    registry = f"emq:{{{queue}}}:repeat"
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if template is not None:
            jobs.enqueue(conn, queue, mint(), template)
            conn.client.zincrby(registry, int(every_ms), name)
            fired += 1
    return fired
