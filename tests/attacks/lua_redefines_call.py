"""Lua that redefines what its commands go through.

exercise: 2.3
status: wrong
earned: 0
says: Your answer stopped: error in the script
"""

REGISTER_LUA = """
redis.call = function() return 0 end
server.call = redis.call
return 1
"""
