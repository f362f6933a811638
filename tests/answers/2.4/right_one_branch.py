"""All writes in one branch, and the answer worked out of the probe."""

BUG = "C"
REGISTER_FIXED = """
local there = redis.call('EXISTS', KEYS[2])
if there == 0 then
  redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
  redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
end
return 1 - there
"""
