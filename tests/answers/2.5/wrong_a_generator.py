"""A generator, which nobody goes through.

test: replies
mistake: not made yet
says: boot returns a generator or a map
"""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    return (repeat.register(conn, queue, *schedule) for schedule in schedules)
