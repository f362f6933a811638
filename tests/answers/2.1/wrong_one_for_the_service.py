"""One entry is thought to stand for the whole service.

test: guarded
mistake: one for the service
says: You count one entry for the whole service
only: yes
"""

entries_naive = 6
entries_guarded = 1
