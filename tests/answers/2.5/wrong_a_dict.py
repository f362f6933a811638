"""The replies by name.

test: replies
mistake: no list
says: The replies are all there and do not
only: yes
"""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    return {schedule[0]: repeat.register(conn, queue, *schedule) for schedule in schedules}
