"""The last reply stands for all.

test: replies
mistake: the last alone
says: boot returns one reply
"""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    reply = None
    for schedule in schedules:
        reply = repeat.register(conn, queue, *schedule)
    return reply
