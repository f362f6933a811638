"""Recursion to the end of the stack.

exercise: 1.2
status: crashed
earned: 0
says: Your answer was stopped: the process that ran it ended
"""

import sys

sys.setrecursionlimit(1 << 30)


class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "x")


def next_interval(prev_ms, every_ms):
    value = []
    for _ in range(3_000_000):
        value = [value]
    return repr(value)
