"""A function that closes the connection it was lent, each time.

exercise: 2.5
status: right
earned: 6
"""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    said = [repeat.register(conn, queue, *schedule) for schedule in schedules]
    conn.close()
    return said
