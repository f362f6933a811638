"""Updates the record where the period is another.

test: later boots
mistake: written again
says: You write for a name that is there
only: yes
"""

from echomq_lab import repeat
from echomq_lab.keyspace import record_key


def boot(conn, queue, schedules):
    replies = []
    for name, every_ms, template, first_in_ms in schedules:
        reply = repeat.register(conn, queue, name, every_ms, template, first_in_ms)
        if reply == "exists":
            conn.send("HSET", record_key(queue, name), "every_ms", every_ms)
        replies.append(reply)
    return replies
