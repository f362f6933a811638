"""A hash without fields is no hash: HLEN of the record, and the writes in a function."""

REGISTER_LUA = """
local function add()
  redis.call('HSETNX', KEYS[2], 'every_ms', ARGV[2])
  redis.call('HSETNX', KEYS[2], 'template', ARGV[3])
  redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
  return 1
end
return redis.call('HLEN', KEYS[2]) == 0 and add() or 0
"""
