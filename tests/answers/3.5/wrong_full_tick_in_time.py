"""A run that is due exactly at a sweep waits for the next one.

test: in time
mistake: a full tick
says: You have each run wait a full tick. A sweep
only: yes
"""


def drift_ms(every_ms, tick_ms, cycles):
    gap_ms = (every_ms // tick_ms + 1) * tick_ms
    return cycles * (gap_ms - every_ms)
