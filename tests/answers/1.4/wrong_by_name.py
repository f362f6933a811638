"""The first by name.

test: value
mistake: by name
says: That is the first by name
only: yes
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    found = sorted(conn.client.zrange(registry_key(queue), 0, -1, withscores=True))
    return (found[0][0], int(found[0][1])) if found else None
