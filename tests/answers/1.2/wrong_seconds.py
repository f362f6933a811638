"""Unix seconds for Unix milliseconds.

test: value
mistake: seconds for milliseconds
says: That is the right instant in seconds
only: yes
"""


def next_interval(prev_ms, every_ms):
    return (prev_ms + every_ms) // 1000
