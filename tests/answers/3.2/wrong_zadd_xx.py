"""ZADD XX alone: the dangling member is kept.

test: dangling
mistake: the dangling entry is moved on
says: An entry without a record gets a next run
"""

ADVANCE_LUA = """
redis.call('ZADD', KEYS[1], 'XX', ARGV[2], ARGV[1])
return 1
"""
