"""Each answer is larger than can be looked at.

exercise: 1.2
status: wrong
earned: 0
says: The answer is no int.
"""


def next_interval(prev_ms, every_ms):
    return [[0] * 3_000, "x" * 50_000, {number: number for number in range(3_000)}]
