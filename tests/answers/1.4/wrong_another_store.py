"""Asks a connection of the notebook's own, for a queue of the notebook's own.

test: shape
mistake: another store
says: You found no entry, and the registry of the check was not read
"""

from echomq_lab import connect
from echomq_lab.keyspace import registry_key

own = connect("embedded://fakeredis")


def earliest(conn, queue):
    found = own.client.zrange(registry_key("three"), 0, 0, withscores=True)
    return (found[0][0], int(found[0][1])) if found else None
