"""Each advance gives the record a day more to live.

test: the record stays
mistake: expires
says: The script gives a key an end
"""

ADVANCE_LUA = """
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[2], 86400)
return 1
"""
