"""Lua that loads bytecode of its own making.

exercise: 2.3
status: wrong
earned: 0
says: Your answer stopped: error in the script
"""

REGISTER_LUA = """
local made = loadstring('\\27Lua' .. string.rep('\\255', 64))
return made()
"""
