"""Lua that catches what would stop it.

exercise: 2.3
status: timed out
earned: 0
says: Your answer was stopped: no answer within 1.0 seconds
limit: 1
"""

REGISTER_LUA = """
while true do pcall(function() while true do redis.call('PING') end end) end
"""
