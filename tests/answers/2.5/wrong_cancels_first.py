"""Cancels and registers again, so that the code's settings win.

test: later boots
mistake: cancelled first
says: You cancel and register again
"""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    replies = []
    for schedule in schedules:
        repeat.cancel(conn, queue, schedule[0])
        replies.append(repeat.register(conn, queue, *schedule))
    return replies
