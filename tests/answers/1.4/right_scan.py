"""All entries, and the least of them by hand; a list of two."""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    entries = list(conn.client.zscan_iter(registry_key(queue)))
    first = min(entries, key=lambda entry: (entry[1], entry[0].encode()), default=None)
    return None if first is None else [first[0], round(first[1])]
