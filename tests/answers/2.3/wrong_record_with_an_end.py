"""The record goes away by itself after a day.

test: a new name
mistake: expires
says: The script gives a key an end
only: yes
"""

REGISTER_LUA = """
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
redis.call('EXPIRE', KEYS[2], 86400)
return 1
"""
