"""The lowest score, by redis-py."""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    found = conn.client.zrange(registry_key(queue), 0, 0, withscores=True)
    if not found:
        return None
    name, score = found[0]
    return name, int(score)
