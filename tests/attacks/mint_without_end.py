"""Ids are asked for without end.

exercise: 3.3
status: crashed
earned: 0
says: Your answer was stopped: it sent what is no answer.
"""


def sweep(conn, queue, now_ms, mint, batch):
    while True:
        mint()
