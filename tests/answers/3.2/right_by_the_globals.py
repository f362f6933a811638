"""By the table of globals."""

ADVANCE_LUA = """
if _G.redis.call('EXISTS', KEYS[2]) == 0 then
  _G.redis.call('ZREM', KEYS[1], ARGV[1])
  return 0
end
_G.redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
return 1
"""
