"""An upsert is thought to insert or update.

test: second boot
mistake: all is written anew
says: A second boot writes everything anew
"""

REGISTER_LUA = """
local new = 1 - redis.call('EXISTS', KEYS[2])
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return new
"""
