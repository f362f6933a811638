"""The replies as a set.

test: replies
mistake: a set
says: boot returns a set
"""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    return {repeat.register(conn, queue, *schedule) for schedule in schedules}
