"""Lua that takes all memory.

exercise: 2.3
status: wrong
earned: 0
says: Your answer stopped: error in the script: Error running script, not enough memory
"""

REGISTER_LUA = """
local held = 'x'
while true do held = held .. held end
"""
