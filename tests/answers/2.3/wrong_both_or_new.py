"""A name is thought to be registered only when both record and entry are there.

test: the record decides
says: The record decides whether a name is registered
only: yes
"""

REGISTER_LUA = """
local record, entry = redis.call('EXISTS', KEYS[2]), redis.call('ZSCORE', KEYS[1], ARGV[1])
if record == 1 and entry then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
