"""The record is never written.

test: a new name
mistake: a write is missing
says: A block that writes is missing
only: yes
"""

register_order = ["B", "A", "C"]
