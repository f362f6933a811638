"""The periods counted from the score, so that no wait adds to the one before it.

test: value
mistake: from the score
says: That is how late one run is if
only: yes
"""


def drift_ms(every_ms, tick_ms, cycles):
    return -cycles * every_ms % tick_ms
