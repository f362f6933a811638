"""Lua that leaves a global for the next script.

exercise: 2.3
status: wrong
earned: 0
says: Your answer stopped: error in the script
"""

REGISTER_LUA = """
seen = (seen or 0) + 1
return seen
"""
