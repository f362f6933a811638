"""The name, and not when.

test: shape
mistake: the name alone
says: The answer is the name alone
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    names = conn.client.zrange(registry_key(queue), 0, 0)
    return names[0] if names else None
