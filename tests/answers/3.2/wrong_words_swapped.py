"""Score and member swapped: the store refuses.

test: the next run
mistake: raises
says: Your answer stopped
"""

ADVANCE_LUA = """
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
return 1
"""
