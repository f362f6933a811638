"""The answer is thought to be wrong.

test: the letter
mistake: the answer suspected
says: The answer of the second boot is the right one
only: yes
"""

BUG = "E"
REGISTER_FIXED = """
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], tonumber(ARGV[4]), ARGV[1])
return 1
"""
