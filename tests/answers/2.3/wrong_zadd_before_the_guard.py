"""The entry is written before the guard.

test: second boot
mistake: the score is moved
says: The record stays and the live score moves
"""

REGISTER_LUA = """
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
return 1
"""
