"""The bug is told in words.

test: the letter
mistake: no letter
says: BUG must be one letter of the list
only: yes
"""

BUG = "it overwrites every_ms"
REGISTER_FIXED = """
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], tonumber(ARGV[4]), ARGV[1])
return 1
"""
