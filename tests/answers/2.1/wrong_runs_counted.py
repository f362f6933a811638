"""Counts the runs of register instead of the registrations.

test: guarded
mistake: runs counted
says: You count how often register is called
only: yes
"""

entries_naive = 6
entries_guarded = 6
