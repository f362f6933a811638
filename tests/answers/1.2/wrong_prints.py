"""Prints the number and returns nothing.

test: type
mistake: nothing returned
says: The function returns nothing
"""


def next_interval(prev_ms, every_ms):
    print(prev_ms + every_ms)
