"""The gap taken for seconds and made milliseconds once more.

test: value
mistake: the gap made ms twice
says: You multiply the gap by 1000
only: yes
"""


def next_interval(prev_ms, every_ms):
    return prev_ms + every_ms * 1000
