"""ZADD NX is taken for the guard; the record is written at every boot.

test: second boot
mistake: the record is rewritten
says: The score stays and the record is rewritten
"""

REGISTER_LUA = """
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
return redis.call('ZADD', KEYS[1], 'NX', ARGV[4], ARGV[1])
"""
