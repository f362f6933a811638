"""The guard comes after both writes.

test: second boot
mistake: guard last
says: The guard comes last
"""

register_order = ["D", "A", "B", "C"]
