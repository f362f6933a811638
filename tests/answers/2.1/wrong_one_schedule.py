"""Three boots, three entries: the second schedule is forgotten.

test: naive
mistake: one schedule
says: That many entries come from one schedule
only: yes
"""

entries_naive = 3
entries_guarded = 2
