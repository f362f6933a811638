"""The guard asks for one field of the record.

test: any record
mistake: guard on one field
says: Your guard asks for a field of the record
only: yes
"""

REGISTER_LUA = """
if redis.call('HEXISTS', KEYS[2], 'every_ms') == 1 then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return 1
"""
