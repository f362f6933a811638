"""The answer reads from nowhere.

exercise: 1.2
status: crashed
earned: 0
says: Your answer was stopped: the process that ran it ended
"""

import ctypes


def next_interval(prev_ms, every_ms):
    return ctypes.string_at(8)
