"""The distractor is taken for the guard.

test: the record decides
mistake: the other guard
says: Your guard asks the registry
only: yes
"""

register_order = ["E", "D", "A", "C"]
