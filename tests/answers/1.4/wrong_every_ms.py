"""The period on the record for the next run.

test: value
mistake: the period
says: That is every_ms, the period on the record
only: yes
"""

from echomq_lab.keyspace import record_key, registry_key


def earliest(conn, queue):
    for name in conn.client.zrange(registry_key(queue), 0, 0):
        return name, int(conn.client.hget(record_key(queue, name), "every_ms") or 0)
    return None
