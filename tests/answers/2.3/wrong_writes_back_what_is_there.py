"""On a hit the record is written back as it was.

test: the first move
says: On a hit the script must probe first
only: yes
"""

REGISTER_LUA = """
if redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('HSET', KEYS[2], unpack(redis.call('HGETALL', KEYS[2])))
  return 0
end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
