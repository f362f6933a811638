"""Lua that fills the store with keys.

exercise: 2.3
status: crashed
earned: 0
says: Your answer was stopped: it filled the store with more than can be looked at.
"""

REGISTER_LUA = """
for number = 1, 5000 do redis.call('SET', KEYS[1] .. number, 'x') end
return 1
"""
