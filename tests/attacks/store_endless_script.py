"""A script without end, sent by a function.

exercise: 2.5
status: timed out
earned: 0
says: Your answer was stopped: no answer within 1.0 seconds
limit: 1
"""


def boot(conn, queue, schedules):
    conn.client.eval("while true do end", 0)
