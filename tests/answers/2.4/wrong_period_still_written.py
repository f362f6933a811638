"""The guard has moved up, and the period is written inside it.

test: another period
mistake: the period still written
says: The guard has moved
only: yes
"""

REGISTER_FIXED = """
if redis.call('EXISTS', KEYS[2]) == 1 then
  if redis.call('HEXISTS', KEYS[2], 'every_ms') == 1 then
    redis.call('HSET', KEYS[2], 'every_ms', ARGV[2])
  end
  return 0
end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], tonumber(ARGV[4]), ARGV[1])
return 1
"""
BUG = "C"
