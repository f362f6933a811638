"""An empty tuple for an empty registry.

test: an empty registry
mistake: an empty answer
says: Nothing is registered, and you answer something that is empty
only: yes
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    found = conn.client.zrange(registry_key(queue), 0, 0, withscores=True)
    return (found[0][0], int(found[0][1])) if found else ()
