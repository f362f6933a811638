"""Ties settled as in a dictionary, capitals taken for small letters.

test: value
mistake: ties
says: These runs are due at the same millisecond
only: yes
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    found = conn.client.zrange(registry_key(queue), 0, -1, withscores=True)
    first = min(found, key=lambda entry: (entry[1], entry[0].lower()), default=None)
    return None if first is None else (first[0], int(first[1]))
