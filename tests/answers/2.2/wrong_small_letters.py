"""The letters are small ones.

test: letters
mistake: small letters
says: The letters are small ones
only: yes
"""

register_order = ["b", "d", "a", "c"]
