"""The cell takes all memory there is: half a gibibyte.

exercise: 1.2
status: wrong
earned: 1
says: That is the previous run itself
remark: cell answer raised MemoryError: 31 times
"""


def next_interval(prev_ms, every_ms):
    return prev_ms


held = []
try:
    while True:
        held.append(bytearray(1 << 24))
except MemoryError:
    raise MemoryError(f"{min(len(held), 31)} times") from None
