"""The guard is outside a script: ask, then write.

test: two at once
mistake: check, then write
says: You ask first and write afterwards
only: yes
"""

from echomq_lab.keyspace import record_key, registry_key


def boot(conn, queue, schedules):
    replies = []
    for name, every_ms, template, first_in_ms in schedules:
        if conn.send("EXISTS", record_key(queue, name)):
            replies.append("exists")
        else:
            conn.send("HSET", record_key(queue, name), "every_ms", every_ms, "template", template)
            conn.send("ZADD", registry_key(queue), conn.now_ms() + first_in_ms, name)
            replies.append("registered")
    return replies
