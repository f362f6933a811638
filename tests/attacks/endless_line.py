"""A line that never ends.

exercise: 1.2
status: crashed
earned: 0
says: The answer cell was stopped: it sent what is no answer.
"""

import sys

frame = sys._getframe()
while type(frame.f_locals.get("self")).__name__ != "Seat":
    frame = frame.f_back
seat = frame.f_locals["self"]

while True:
    seat._seat.sendall(b"x" * 65536)
