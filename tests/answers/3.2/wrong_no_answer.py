"""No answer on success.

test: answers
mistake: no answer
says: The script says nothing: nil
only: yes
"""

ADVANCE_LUA = """
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
"""
