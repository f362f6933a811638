"""A record that is there is deleted and written anew.

test: another period
mistake: deleted and written anew
says: Your script removes what is there
"""

BUG = "C"
REGISTER_FIXED = """
local there = redis.call('EXISTS', KEYS[2])
if there == 1 then redis.call('DEL', KEYS[2]) end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], tonumber(ARGV[4]), ARGV[1])
return 1 - there
"""
