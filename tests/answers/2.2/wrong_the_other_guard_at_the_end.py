"""The distractor stands before the answer, and always finds the new entry.

test: answers
says: In this order the script does not answer 1
only: yes
"""

register_order = ["B", "D", "A", "E", "C"]
