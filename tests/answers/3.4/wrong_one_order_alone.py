"""One order alone.

test: words
says: crash_order must be a dict with the two orders
"""

crash_order = {"enqueue, then advance": "repeats"}
