"""Lua that takes all memory.

exercise: 2.3
status: crashed
earned: 0
says: Your answer was stopped: the store did not survive it
"""

REGISTER_LUA = """
local held = {}
while true do held[#held + 1] = string.rep(tostring(#held), 50000000) end
"""
