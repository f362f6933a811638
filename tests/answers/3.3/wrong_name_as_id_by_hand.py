"""The registration's name as the job's id, written by plain commands.

test: fresh ids
mistake: the name as the id
says: The registration's name is taken for the job's id
only: yes
"""

from echomq_lab import repeat


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if template is not None:
            row = {"state": "pending", "attempts": 0, "payload": template}
            conn.client.hset(f"emq:{{{queue}}}:job:{name}", mapping=row)
            conn.client.zadd(f"emq:{{{queue}}}:pending", {name: 0})
            repeat.advance(conn, queue, name, int(every_ms))
            fired += 1
    return fired
