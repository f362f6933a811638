"""A hit that asks for another period is thought to update it.

test: second boot
mistake: the period is updated
says: The second boot's period gets into the record
only: yes
"""

REGISTER_LUA = """
if redis.call('EXISTS', KEYS[2]) == 1 then
  local old = redis.call('HGET', KEYS[2], 'every_ms')
  if old and old ~= ARGV[2] then redis.call('HSET', KEYS[2], 'every_ms', ARGV[2]) end
  return 0
end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
