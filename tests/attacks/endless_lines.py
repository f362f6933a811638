"""Lines that never end.

exercise: 1.2
status: crashed
earned: 0
says: Your answer was stopped: it sent what is no answer.
"""

import sys

frame = sys._getframe()
while type(frame.f_locals.get("self")).__name__ != "Seat":
    frame = frame.f_back
seat = frame.f_locals["self"]

seat._seat.sendall(b'{"ran": [{"id": "answer", "skipped": [], "raised": null}]}' + bytes([10]))
while True:
    seat._seat.sendall(b"{}" + bytes([10]))
