"""By the type of the record's key, in one expression for each way out."""

ADVANCE_LUA = """
local function moved_on() redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1]) return 1 end
local function swept() redis.call('ZREM', KEYS[1], ARGV[1]) return 0 end
if redis.call('TYPE', KEYS[2]).ok == 'none' then return swept() else return moved_on() end
"""
