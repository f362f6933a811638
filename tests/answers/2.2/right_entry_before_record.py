"""Guard, entry, record, answer: the two writes may change places."""

register_order = ["B", "A", "D", "C"]
