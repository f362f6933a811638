"""The guard stands after the HSET and finds the record just written.

test: a new name
mistake: guard after the write
says: The guard comes after the HSET
"""

REGISTER_LUA = """
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
