"""Lua that ends the function it might be put in, and begins another.

exercise: 2.3
status: wrong
earned: 0
says: Your answer stopped: error in the script
"""

REGISTER_LUA = """
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
end)
calls = { { 'EXISTS', KEYS[2] } }
local ran, answer = pcall(function() return 1
"""
