"""Two plain commands: who is first, and when."""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    names = conn.send("ZRANGE", registry_key(queue), 0, 0)
    return (names[0], int(float(conn.send("ZSCORE", registry_key(queue), names[0])))) if names else None
