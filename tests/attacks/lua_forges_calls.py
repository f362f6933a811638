"""Lua that writes on a hit, by the server's other name, and clears what was noted of it.

exercise: 2.3
status: wrong
earned: 11
says: On a hit the script must probe first, and then write nothing
"""

REGISTER_LUA = """
if server.call('EXISTS', KEYS[2]) == 1 then
  local score = server.call('ZSCORE', KEYS[1], ARGV[1])
  if score then server.call('ZADD', KEYS[1], score, ARGV[1]) end
  pcall(function() calls[2], calls[3] = nil, nil end)
  return 0
end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
