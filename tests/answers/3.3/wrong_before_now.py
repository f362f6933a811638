"""Reads what was due before now, and not what is due at now.

test: due or not
mistake: due now
says: A registration that is due at exactly now was left
only: yes
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name in conn.client.zrangebyscore(f"emq:{{{queue}}}:repeat", "-inf", f"({now_ms}", start=0, num=batch):
        _, every_ms, template = repeat.record(conn, queue, name)
        if template is not None:
            jobs.enqueue(conn, queue, mint(), template)
            repeat.advance(conn, queue, name, int(every_ms))
            fired += 1
    return fired
