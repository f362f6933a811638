"""Lua that takes all memory, on the second boot.

exercise: 2.3
status: wrong
earned: 3
says: Your answer stopped: error in the script: Error running script, not enough memory
"""

REGISTER_LUA = """
local held = 'x'
while redis.call('EXISTS', KEYS[2]) == 1 do held = held .. held end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
