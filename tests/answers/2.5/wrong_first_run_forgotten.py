"""The fourth part of a schedule is not passed on.

test: new names
mistake: the first run forgotten
says: The first run comes at once
only: yes
"""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    return [repeat.register(conn, queue, *schedule[:3]) for schedule in schedules]
