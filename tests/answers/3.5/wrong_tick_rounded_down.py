"""The period rounded down to whole ticks.

test: value
mistake: the tick rounded down
says: You release a run at the sweep before
only: yes
"""


def drift_ms(every_ms, tick_ms, cycles):
    gap_ms = every_ms // tick_ms * tick_ms
    return cycles * (gap_ms - every_ms)
