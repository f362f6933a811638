"""All entries, in order.

test: shape
mistake: the whole list
says: The answer is a list of pairs
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    found = conn.client.zrange(registry_key(queue), 0, -1, withscores=True)
    return [(name, int(score)) for name, score in found] or None
