"""Prints the pair and returns nothing.

test: shape
mistake: nothing returned
says: The function returns nothing
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    print(conn.client.zrange(registry_key(queue), 0, 0, withscores=True))
