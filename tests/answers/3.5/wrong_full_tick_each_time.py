"""A full tick of drift in each cycle that is late at all.

test: value
mistake: a full tick each time
says: You have each run wait a full tick. It waits
only: yes
"""


def drift_ms(every_ms, tick_ms, cycles):
    return cycles * tick_ms if every_ms % tick_ms else 0
