"""The replies are swallowed.

test: replies
mistake: swallowed
says: boot swallows the replies
"""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    for schedule in schedules:
        repeat.register(conn, queue, *schedule)
