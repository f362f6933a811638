"""A drift of zero: the releases are thought to stand where the periods end.

test: value
mistake: no drift
says: You say that nothing drifts
only: yes
"""


def drift_ms(every_ms, tick_ms, cycles):
    return 0
