"""The entry is written before the probe.

test: second boot
mistake: ZADD before the probe
says: ZADD comes before the probe
only: yes
"""

register_order = ["A", "B", "D", "C"]
