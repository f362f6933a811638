"""Score and name, as ZADD takes them.

test: shape
says: The answer must be a name and a score
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    found = conn.client.zrange(registry_key(queue), 0, 0, withscores=True)
    return (int(found[0][1]), found[0][0]) if found else None
