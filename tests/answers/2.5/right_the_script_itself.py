"""A script of one's own, sent by hand; the words made of its numbers."""

from echomq_lab.keyspace import record_key, registry_key

REGISTER = """
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""


def register(conn, queue, name, every_ms, template, first_in_ms):
    keys = registry_key(queue), record_key(queue, name)
    return conn.send("EVAL", REGISTER, 2, *keys, name, every_ms, template, conn.now_ms() + first_in_ms)


def boot(conn, queue, schedules):
    return [("exists", "registered")[register(conn, queue, *each)] for each in schedules]
