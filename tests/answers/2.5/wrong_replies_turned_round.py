"""The replies from the last to the first.

test: replies
mistake: another order
says: The replies are all there, in another order
only: yes
"""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    return [repeat.register(conn, queue, *schedule) for schedule in schedules][::-1]
