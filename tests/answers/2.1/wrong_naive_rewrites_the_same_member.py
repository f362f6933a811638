"""The naive add is thought to rewrite the same member.

test: naive
mistake: the same member rewritten
says: You let each boot rewrite
only: yes
"""

entries_naive = 2
entries_guarded = 2
