"""A cancelled name is made anew when there was no member to remove.

test: cancelled
mistake: a cancelled name comes back
says: A cancelled name is back
only: yes
"""

ADVANCE_LUA = """
if redis.call('EXISTS', KEYS[2]) == 0 and redis.call('ZREM', KEYS[1], ARGV[1]) == 1 then
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
return 1
"""
