"""To look at the answer never ends.

exercise: 1.2
status: timed out
earned: 0
says: Your answer was stopped: no answer within 1.0 seconds
limit: 1
"""


class Endless:
    def __repr__(self):
        while True:
            pass


def next_interval(prev_ms, every_ms):
    return Endless()
