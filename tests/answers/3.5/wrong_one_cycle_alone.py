"""The drift of one cycle, whatever their number.

test: value
mistake: one cycle alone
says: That is the drift of one cycle
only: yes
"""


def drift_ms(every_ms, tick_ms, cycles):
    return -every_ms % tick_ms
