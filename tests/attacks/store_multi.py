"""A transaction that is begun and never ended.

exercise: 2.5
status: wrong
earned: 1
says: *
"""


def boot(conn, queue, schedules):
    conn.client.execute_command("MULTI")
    conn.client.execute_command("SET", f"emq:{{{queue}}}:x", "1")
    return ["registered" for _ in schedules]
