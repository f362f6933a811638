"""The entry is removed at its release, as a one-shot job would be.

test: the next run
mistake: the entry is gone
says: The entry is gone from the registry
"""

ADVANCE_LUA = """
redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('EXISTS', KEYS[2])
"""
