"""The numbers are texts.

test: kind
says: entries_naive must be a whole number
"""

entries_naive = "6"
entries_guarded = "2"
