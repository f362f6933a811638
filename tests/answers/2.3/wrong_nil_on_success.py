"""A new name is registered without an answer.

test: answers
mistake: no answer
says: The script does its work and says nothing
only: yes
"""

REGISTER_LUA = """
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
"""
