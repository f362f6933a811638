"""Seconds on the way, and a float on the way back.

test: type
mistake: a float
says: The answer is a float
only: yes
"""


def next_interval(prev_ms, every_ms):
    return (prev_ms + every_ms) / 1
