"""The answer is an int of a million digits.

exercise: 1.2
status: wrong
earned: 0
says: That int is far too large for an instant
"""


def next_interval(prev_ms, every_ms):
    return 1 << 3_000_000
