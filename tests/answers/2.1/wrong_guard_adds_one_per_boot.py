"""The guard is thought to add one entry per boot.

test: guarded
mistake: one for each boot
says: You let each boot add an entry
only: yes
"""

entries_naive = 6
entries_guarded = 3
