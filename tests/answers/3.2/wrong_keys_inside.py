"""Keys built inside the script.

test: KEYS
says: The script touches keys that were not given
only: yes
"""

ADVANCE_LUA = """
local registry = 'emq:{checked}:repeat'
local record = registry .. ':' .. ARGV[1]
if redis.call('EXISTS', record) == 0 then
  redis.call('ZREM', registry, ARGV[1])
  return 0
end
redis.call('ZADD', registry, ARGV[2], ARGV[1])
return 1
"""
