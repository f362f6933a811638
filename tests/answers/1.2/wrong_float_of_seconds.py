"""The next run in seconds, by a division that makes a float.

test: type
mistake: a float of seconds
says: That is a float of the right instant in seconds
"""


def next_interval(prev_ms, every_ms):
    return (prev_ms + every_ms) / 1000
