"""The last line is lost on the way.

test: answers
says: The mended script no longer answers
only: yes
"""

BUG = "C"
REGISTER_FIXED = """
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], tonumber(ARGV[4]), ARGV[1])
"""
