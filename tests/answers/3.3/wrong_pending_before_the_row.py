"""The id is in pending before there is a job.

test: killed
mistake: pending before the row
says: You write the id to pending before
only: yes
"""

from echomq_lab import repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if template is not None:
            new = mint()
            conn.send("ZADD", f"emq:{{{queue}}}:pending", 0, new)
            conn.send("HSET", f"emq:{{{queue}}}:job:{new}", "state", "pending", "attempts", 0, "payload", template)
            repeat.advance(conn, queue, name, int(every_ms))
            fired += 1
    return fired
