"""An answer that may only read has a script of its own write, and take away again what it wrote: the calls are overheard.

exercise: 1.4
status: wrong
earned: 5
says: To look at the registry must not write to it.
"""


def earliest(conn, queue):
    key = f"emq:{{{queue}}}:repeat"
    script = """
    redis.call('SET', KEYS[1] .. ':x', '1')
    redis.call('DEL', KEYS[1] .. ':x')
    return redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
    """
    found = conn.client.eval(script, 1, key)
    return (found[0], int(float(found[1]))) if found else None
