"""The cell never ends.

exercise: 1.2
status: timed out
earned: 0
says: The answer cell was stopped: the cells took more than 1 seconds together
limit: 1
"""

while True:
    pass
