"""True and False for the words.

test: replies
says: boot must answer the list of replies
"""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    return [repeat.register(conn, queue, *schedule) == "registered" for schedule in schedules]
