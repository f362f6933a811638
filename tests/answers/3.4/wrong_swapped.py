"""The orders swapped.

test: enqueue first
mistake: orders swapped
says: You have each order do what the other one does
"""

crash_order = {"enqueue, then advance": "loses", "advance, then enqueue": "repeats"}
