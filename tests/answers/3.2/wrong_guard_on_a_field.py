"""The guard asks for one field of the record.

test: the record decides
mistake: a field asked for
says: Your script asks for a field of the record
only: yes
"""

ADVANCE_LUA = """
if not redis.call('HGET', KEYS[2], 'every_ms') then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
return 1
"""
