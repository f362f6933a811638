"""What ZADD or ZREM answered is returned.

test: answers
mistake: the answer of ZADD or ZREM
says: You return what ZADD or ZREM answered
only: yes
"""

ADVANCE_LUA = """
if redis.call('EXISTS', KEYS[2]) == 0 then
  return redis.call('ZREM', KEYS[1], ARGV[1])
end
return redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
"""
