"""The far end of the sorted set.

test: value
mistake: the highest score
says: You read from the far end
only: yes
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    found = conn.client.zrevrange(registry_key(queue), 0, 0, withscores=True)
    return (found[0][0], int(found[0][1])) if found else None
