"""By Valkey's other name for `redis`."""

REGISTER_LUA = """
if server.call('EXISTS', KEYS[2]) == 1 then return 0 end
server.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
server.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
