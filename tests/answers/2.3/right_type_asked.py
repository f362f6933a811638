"""Asks for the record's type, writes with HMSET, and answers 1 minus whether it was there."""

REGISTER_LUA = """
local kind = redis.call('TYPE', KEYS[2]).ok
if kind == 'none' then
  redis.call('HMSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
  redis.call('ZADD', KEYS[1], 'CH', ARGV[4], ARGV[1])
end
return kind == 'none' and 1 or 0
"""
