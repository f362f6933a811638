"""A command without words.

exercise: 2.5
status: crashed
earned: 0
says: Your answer was stopped: it sent what is no answer.
"""


def sent(conn, data):
    """Send bytes as they are over the line to the store."""
    line = (
        conn.client.connection_pool.connection_kwargs.get("line") or conn.client.connection_pool.connection_class.line
    )
    line.sendall(data)
    return line


def boot(conn, queue, schedules):
    return sent(conn, b"*0\r\n").recv(1)
