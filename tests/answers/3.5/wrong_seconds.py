"""The drift in seconds.

test: value
mistake: seconds for milliseconds
says: That is the drift in seconds
only: yes
"""


def drift_ms(every_ms, tick_ms, cycles):
    gap_ms = -(-every_ms // tick_ms) * tick_ms
    return cycles * (gap_ms - every_ms) // 1000
