"""Two schedules and three boots make five.

test: naive
says: That is not how many entries the naive boots leave
"""

entries_naive = 5
entries_guarded = 0
