"""The next multiple of the gap, as if an interval had slots on the clock.

test: value
mistake: on the clock's marks
says: You answer the next multiple of the gap
only: yes
"""


def next_interval(prev_ms, every_ms):
    return (prev_ms // every_ms + 1) * every_ms
