"""A mint of its own, made anew for each sweep.

test: fresh ids
mistake: ids of its own
says: The ids did not come from mint()
only: yes
"""

from echomq_lab import jobs, repeat
from echomq_lab.ids import Minter


def sweep(conn, queue, now_ms, mint, batch):
    fired = 0
    own = Minter(conn.clock, node=7)
    for name, every_ms, template in repeat.due(conn, queue, batch):
        if template is not None:
            jobs.enqueue(conn, queue, own.mint(), template)
            repeat.advance(conn, queue, name, int(every_ms))
            fired += 1
    return fired
