"""The answer never ends; the real limit.

exercise: 1.2
status: timed out
earned: 0
says: Your answer was stopped: no answer within 2.5 seconds: is there a loop without end?
"""


def next_interval(prev_ms, every_ms):
    while True:
        pass
