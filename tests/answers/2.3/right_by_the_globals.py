"""By the table of globals."""

REGISTER_LUA = """
if _G.redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
_G.redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
_G.redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
