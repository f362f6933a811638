"""Register each schedule, and collect what register answers."""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    replies = []
    for name, every_ms, template, first_in_ms in schedules:
        replies.append(repeat.register(conn, queue, name, every_ms, template, first_in_ms))
    return replies
