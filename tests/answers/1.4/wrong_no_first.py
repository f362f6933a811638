"""Takes the first where there is none.

test: an empty registry
mistake: raises
says: Your answer stopped with an error
only: yes
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    name, score = conn.client.zrange(registry_key(queue), 0, 0, withscores=True)[0]
    return name, int(score)
