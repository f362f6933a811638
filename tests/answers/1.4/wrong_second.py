"""Counts the entries from one.

test: value
says: That is not the entry that the pump reads first
only: yes
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    found = conn.client.zrange(registry_key(queue), 0, 1, withscores=True)
    return (found[-1][0], int(found[-1][1])) if found else None
