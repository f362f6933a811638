"""A power where a product was meant.

test: type
mistake: far too large
says: That int is far too large
"""


def next_interval(prev_ms, every_ms):
    return prev_ms * 10**30 + every_ms
