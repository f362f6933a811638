"""The script is mended the other way: everything is updated.

test: another period
says: A second boot that asks for another period
"""

BUG = "C"
REGISTER_FIXED = """
local there = redis.call('EXISTS', KEYS[2])
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], tonumber(ARGV[4]), ARGV[1])
return 1 - there
"""
