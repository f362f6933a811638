"""The block that answers is left over.

test: answers
mistake: no answer
says: Your order registers a new name and says nothing
only: yes
"""

register_order = ["B", "D", "A"]
