"""Reads the whole registry, due or not.

test: due or not
mistake: what is not due
says: A registration whose next run is still to come
only: yes
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name in conn.client.zrange(f"emq:{{{queue}}}:repeat", 0, batch - 1):
        _, every_ms, template = repeat.record(conn, queue, name)
        if template is not None:
            jobs.enqueue(conn, queue, mint(), template)
            repeat.advance(conn, queue, name, int(every_ms))
            fired += 1
    return fired
