"""Looks whether the registry holds anything, and registers only on an empty one.

test: new names
mistake: known queue skipped
says: A schedule that a new version brings along is never registered
"""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    if repeat.count(conn, queue) > 0:
        return ["exists" for _ in schedules]
    return [repeat.register(conn, queue, *schedule) for schedule in schedules]
