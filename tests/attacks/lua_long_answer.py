"""Lua that answers more than can be heard.

exercise: 2.3
status: crashed
earned: 0
says: Your answer was stopped: the store did not survive it
"""

REGISTER_LUA = """
return string.rep('x', 4000000)
"""
