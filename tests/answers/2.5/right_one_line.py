"""The four parts are register's own arguments, in its order."""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    return [repeat.register(conn, queue, *schedule) for schedule in schedules]
