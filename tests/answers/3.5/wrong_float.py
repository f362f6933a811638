"""Divides with / and rounds up a float.

test: type
mistake: a float
says: The answer is a float
only: yes
"""

from math import ceil


def drift_ms(every_ms, tick_ms, cycles):
    return cycles * (ceil(every_ms / tick_ms) * tick_ms - every_ms) / 1
