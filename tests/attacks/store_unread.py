"""Long replies that nobody reads.

exercise: 2.5
status: timed out
earned: 0
says: Your answer was stopped: no answer within 1.0 seconds
limit: 1
"""


def sent(conn, data):
    """Send bytes as they are over the line to the store."""
    line = (
        conn.client.connection_pool.connection_kwargs.get("line") or conn.client.connection_pool.connection_class.line
    )
    line.sendall(data)
    return line


def boot(conn, queue, schedules):
    key = f"emq:{{{queue}}}:long".encode()
    conn.client.set(key, "x" * 500_000)
    sent(conn, (b"*2\r\n$3\r\nGET\r\n$%d\r\n%b\r\n" % (len(key), key)) * 100)
    while True:
        pass
