"""A line that comes byte by byte, and never ends.

exercise: 1.2
status: timed out
earned: 0
says: The answer cell was stopped: the cells took more than 1 seconds together
limit: 1
"""

import sys

frame = sys._getframe()
while type(frame.f_locals.get("self")).__name__ != "Seat":
    frame = frame.f_back
seat = frame.f_locals["self"]

while True:
    seat._seat.sendall(b" ")
