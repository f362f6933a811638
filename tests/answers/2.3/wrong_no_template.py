"""The template is left out of the record.

test: a new name
says: A new name must get its record
only: yes
"""

REGISTER_LUA = """
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
