"""The drift of one cycle too many.

test: value
mistake: one cycle too many
says: You count one release too many
only: yes
"""


def drift_ms(every_ms, tick_ms, cycles):
    gap_ms = -(-every_ms // tick_ms) * tick_ms
    return (cycles + 1) * (gap_ms - every_ms)
