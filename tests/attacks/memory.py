"""The answer takes all memory there is.

exercise: 1.2
status: wrong
earned: 0
says: Your answer stopped with an error.
came: it raised MemoryError
"""

def next_interval(prev_ms, every_ms):
    held = []
    while True:
        held.append(bytearray(1 << 24))
