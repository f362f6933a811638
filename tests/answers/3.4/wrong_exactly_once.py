"""Exactly-once claimed for EchoMQ's order.

test: words
mistake: exactly once claimed
says: You say that an order does neither
"""

crash_order = {"enqueue, then advance": "once", "advance, then enqueue": "loses"}
