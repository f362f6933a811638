"""Lua that loads code and files.

exercise: 2.3
status: wrong
earned: 0
says: Your answer stopped: error in the script
"""

REGISTER_LUA = """
loadfile('/etc/passwd')()
dofile('/etc/passwd')
io.open('/etc/passwd')
os.execute('true')
require('os')
return 1
"""
