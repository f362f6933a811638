"""One minute more than the gap.

test: value
says: That is not the previous run plus the gap
only: yes
"""


def next_interval(prev_ms, every_ms):
    return prev_ms + every_ms + 60_000
