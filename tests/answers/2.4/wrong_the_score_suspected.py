"""The score is thought to move.

test: the letter
mistake: the entry suspected
says: The entry is as the first boot left it
only: yes
"""

BUG = "B"
REGISTER_FIXED = """
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], tonumber(ARGV[4]), ARGV[1])
return 1
"""
