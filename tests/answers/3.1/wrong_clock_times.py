"""Clock times as text.

test: start to start
mistake: text
says: The list holds text
"""

start_to_start = ["10:10", "10:30", "10:50", "11:10"]
start_to_finish = ["10:10", "10:37", "11:04", "11:31"]
