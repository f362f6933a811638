"""Both keys are built inside the script.

test: KEYS
says: The script touches keys that were not given
only: yes
"""

REGISTER_LUA = """
local registry = 'emq:{checked}:repeat'
local record = registry .. ':' .. ARGV[1]
if redis.call('EXISTS', record) == 1 then return 0 end
redis.call('HSET', record, 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', registry, ARGV[4], ARGV[1])
return 1
"""
