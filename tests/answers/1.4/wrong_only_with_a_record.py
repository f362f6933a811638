"""Passes over an entry that has no record.

test: no record
mistake: only with a record
says: You leave out an entry that has no record
only: yes
"""

from echomq_lab.keyspace import record_key, registry_key


def earliest(conn, queue):
    for name, score in conn.client.zrange(registry_key(queue), 0, -1, withscores=True):
        if conn.client.exists(record_key(queue, name)):
            return name, int(score)
    return None
