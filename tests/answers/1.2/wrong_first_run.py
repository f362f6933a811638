"""The first run of a registration with first_in_ms 0 taken for the next one.

test: value
mistake: the first run
says: That is the previous run itself
only: yes
"""


def next_interval(prev_ms, every_ms):
    return prev_ms
