"""Without a record nothing is done, and the member stays.

test: dangling
mistake: the dangling entry is kept
says: An entry without a record is left as it is
only: yes
"""

ADVANCE_LUA = """
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
return 1
"""
