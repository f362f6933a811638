"""Fires once for each period that was missed.

test: an outage
mistake: once for each missed period
says: You fire once for each period
only: yes
"""

from echomq_lab import jobs, repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if template is None:
            continue
        due_ms = conn.client.zscore(f"emq:{{{queue}}}:repeat", name)
        while due_ms <= now_ms:
            jobs.enqueue(conn, queue, mint(), template)
            due_ms += int(every_ms)
        repeat.advance(conn, queue, name, int(every_ms))
        fired += 1
    return fired
