"""EXISTS answers 1 or 0, which is the answer of the script too."""

ADVANCE_LUA = """
local there = redis.call('EXISTS', KEYS[2])
local commands = { [0] = { 'ZREM', KEYS[1], ARGV[1] }, [1] = { 'ZADD', KEYS[1], ARGV[2], ARGV[1] } }
redis.call(unpack(commands[there]))
return there
"""
