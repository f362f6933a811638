"""The entry is removed in any case, and added again where there is a record."""

ADVANCE_LUA = """
local registry, record = unpack(KEYS)
local name, next_ms = unpack(ARGV)
redis.call('ZREM', registry, name)
local there = redis.call('HLEN', record) > 0
if there then redis.call('ZADD', registry, tonumber(next_ms), name) end
return there and 1 or 0
"""
