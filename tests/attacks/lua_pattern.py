"""A pattern that takes longer than the universe.

exercise: 2.3
status: timed out
earned: 0
says: Your answer was stopped: no answer within 1.0 seconds
limit: 1
"""

REGISTER_LUA = """
return string.find(string.rep('a', 60), string.rep('a-', 40) .. 'b')
"""
