"""Guard, entry, record, answer, and a line after it."""

register_order = ["B", "A", "D", "C", "E"]
