"""The record is deleted, as for a job that is done.

test: the record stays
mistake: the record is deleted
says: The record is deleted
only: yes
"""

ADVANCE_LUA = """
if redis.call('DEL', KEYS[2]) == 0 then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
return 1
"""
