"""A record is thought to be one only with both of its fields.

test: any record
says: A record that is there is a record
only: yes
"""

REGISTER_LUA = """
if redis.call('HLEN', KEYS[2]) == 2 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
