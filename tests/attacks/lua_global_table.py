"""Lua that reaches for the table of globals, and leaves something there.

exercise: 2.3
status: wrong
earned: 0
says: Your answer stopped: error in the script
"""

REGISTER_LUA = """
rawset(_G, 'left', 1)
getmetatable('').__index = nil
_G.redis.call = nil
return 1
"""
