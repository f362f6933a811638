"""Lua that fills the store with one key.

exercise: 2.3
status: crashed
earned: 0
says: Your answer was stopped: it filled the store with more than can be looked at.
"""

REGISTER_LUA = """
redis.call('SET', KEYS[1], string.rep('x', 700000))
return 1
"""
