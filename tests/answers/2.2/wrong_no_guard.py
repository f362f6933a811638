"""There is no guard at all.

test: second boot
mistake: no guard
says: No block of yours asks
"""

register_order = ["D", "A", "C"]
