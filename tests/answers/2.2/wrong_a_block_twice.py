"""A block is used twice.

test: letters
mistake: a block twice
says: A block is there twice
only: yes
"""

register_order = ["B", "D", "A", "C", "B"]
