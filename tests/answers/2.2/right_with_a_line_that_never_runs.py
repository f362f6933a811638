"""Guard, record, entry, answer; what stands after the answer never runs."""

register_order = ["B", "D", "A", "C", "E"]
