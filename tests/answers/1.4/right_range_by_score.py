"""The registry by score, as the pump reads it, without an upper bound."""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    for name, score in conn.client.zrangebyscore(registry_key(queue), "-inf", "+inf", withscores=True):
        return name, int(score)
    return None
