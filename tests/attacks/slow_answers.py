"""Each answer comes just in time, and all of them together would take minutes.

exercise: 1.2
status: timed out
earned: 0
says: Your answer was stopped: the answers to this exercise took more than 1 seconds together
exercise_limit: 1
"""

import time


def next_interval(prev_ms, every_ms):
    time.sleep(0.3)
    return prev_ms
