"""Both orders lose.

test: enqueue first
mistake: both lose
says: You have both orders do the same
only: yes
"""

crash_order = {"enqueue, then advance": "loses", "advance, then enqueue": "loses"}
