"""The entry is thought to say whether a name is registered.

test: the record decides
mistake: probe on the registry
says: You probe the registry
only: yes
"""

REGISTER_LUA = """
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
