"""The record is stored before it is probed for.

test: a new name
mistake: store before probe
says: You store the record before you probe
"""

register_order = ["D", "B", "A", "C"]
