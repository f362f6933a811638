"""Guard, record, entry, answer."""

register_order = ["B", "D", "A", "C"]
