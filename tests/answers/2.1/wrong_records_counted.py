"""The records are counted with the entries.

test: naive
mistake: keys counted
says: You count the records too
only: yes
"""

entries_naive = 12
entries_guarded = 2
