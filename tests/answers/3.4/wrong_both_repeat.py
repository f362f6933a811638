"""Both orders repeat.

test: advance first
mistake: both repeat
says: You say one thing of both orders
only: yes
"""

crash_order = {"enqueue, then advance": "repeats", "advance, then enqueue": "repeats"}
