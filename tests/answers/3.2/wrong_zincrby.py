"""ZINCRBY from the old score.

test: the next run
mistake: added to the old score
says: You add to the old score
only: yes
"""

ADVANCE_LUA = """
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return 0
end
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  redis.call('ZINCRBY', KEYS[1], ARGV[2], ARGV[1])
else
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
end
return 1
"""
