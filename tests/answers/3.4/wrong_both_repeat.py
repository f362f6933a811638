"""Both orders repeat.

test: advance first
mistake: both repeat
says: You have both orders do the same. In this one
only: yes
"""

crash_order = {"enqueue, then advance": "repeats", "advance, then enqueue": "repeats"}
