"""The letters are one text.

test: letters
mistake: one text
says: The letters stand in one text
only: yes
"""

register_order = "BDAC"
