"""The answer comes before the writes.

test: a new name
mistake: return first
says: A return stands before a write
"""

register_order = ["B", "C", "D", "A"]
