"""The first run is thought to come after a period.

test: new names
says: A schedule that is new does not get its record
only: yes
"""

from echomq_lab import repeat


def boot(conn, queue, schedules):
    return [
        repeat.register(conn, queue, name, every_ms, template, every_ms) for name, every_ms, template, _ in schedules
    ]
