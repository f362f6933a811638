"""A leftover entry is kept by ZADD NX, though its record is gone.

test: the record decides
says: The record decides whether a name is registered
only: yes
"""

REGISTER_LUA = """
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], 'NX', ARGV[4], ARGV[1])
return 1
"""
