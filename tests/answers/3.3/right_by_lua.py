"""One script of its own for each occurrence: the job and the next run together, or nothing."""

RELEASE = """
local every_ms, template = unpack(redis.call('HMGET', KEYS[2], 'every_ms', 'template'))
if not template then return 0 end
redis.call('HSET', KEYS[3], 'state', 'pending', 'attempts', 0, 'payload', template)
redis.call('ZADD', KEYS[4], 0, ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[3] + every_ms, ARGV[1])
return 1
"""


def sweep(conn, queue, now_ms, mint, batch):
    def key(kind):
        return f"emq:{{{queue}}}:{kind}"

    def release(name):
        new = mint()
        keys = [key("repeat"), key(f"repeat:{name}"), key(f"job:{new}"), key("pending")]
        return conn.client.eval(RELEASE, len(keys), *keys, name, new, now_ms)

    due = conn.send("ZRANGE", key("repeat"), "-inf", now_ms, "BYSCORE", "LIMIT", 0, batch)
    return sum(release(name) for name in due)
