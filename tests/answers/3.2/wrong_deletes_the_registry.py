"""DEL on the registry instead of ZREM of one member.

test: other entries
says: The other entries of the registry must stay
only: yes
"""

ADVANCE_LUA = """
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('DEL', KEYS[1])
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
return 1
"""
