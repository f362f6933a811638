"""An error that is called as the one by which the grader kills.

exercise: 2.5
status: wrong
earned: 0
says: Your answer stopped with an error.
came: it raised an error called Killed
"""


class Killed(BaseException):
    pass


def boot(conn, queue, schedules):
    raise Killed
