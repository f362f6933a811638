"""The words that the runs have for the fate of an occurrence.

test: words
mistake: the words of the runs
says: 'lost' and 'twice' are what became
only: yes
"""

crash_order = {"enqueue, then advance": "twice", "advance, then enqueue": "lost"}
