"""The probe is changed for one of the registry.

test: as before
says: The mended script is another register
only: yes
"""

BUG = "C"
REGISTER_FIXED = """
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], tonumber(ARGV[4]), ARGV[1])
return 1
"""
