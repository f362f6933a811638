"""The score as redis-py has it.

test: shape
mistake: a float
says: The score is a float
only: yes
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    found = conn.client.zrange(registry_key(queue), 0, 0, withscores=True)
    return found[0] if found else None
