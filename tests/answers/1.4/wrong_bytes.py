"""The name as a client without decoding has it.

test: shape
mistake: bytes
says: The name is bytes
only: yes
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    found = conn.client.zrange(registry_key(queue), 0, 0, withscores=True)
    return (found[0][0].encode(), int(found[0][1])) if found else None
