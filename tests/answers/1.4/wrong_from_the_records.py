"""Goes by the records, as if each had an entry.

test: an empty registry
mistake: from the records
says: You name a record that has no entry
"""

from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    prefix = registry_key(queue) + ":"
    names = [key.removeprefix(prefix) for key in conn.client.scan_iter(match=prefix + "*")]
    scores = {name: conn.client.zscore(registry_key(queue), name) or 0 for name in names}
    found = sorted(names, key=lambda name: (scores[name], name))
    return (found[0], int(scores[found[0]])) if found else None
