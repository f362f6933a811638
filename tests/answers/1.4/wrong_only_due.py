"""Asks the pump's own question: what is due by now?

test: not due yet
mistake: only what is due
says: You answer only what is due by now
only: yes
"""

from echomq_lab import repeat
from echomq_lab.keyspace import registry_key


def earliest(conn, queue):
    for due in repeat.due(conn, queue, 1):
        return due.name, int(conn.client.zscore(registry_key(queue), due.name))
    return None
