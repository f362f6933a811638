"""Asks how long the record will be there: -2 is for none at all."""

REGISTER_LUA = """
if redis.call('PTTL', KEYS[2]) > -2 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
