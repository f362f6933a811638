"""Start-to-start for both: the run is thought to take no time.

test: start to finish
mistake: start-to-start for both
says: start_to_finish does not wait
only: yes
"""

first_ms, every_ms = 1_767_607_800_000, 1_200_000
start_to_start = [first_ms + n * every_ms for n in range(4)]
start_to_finish = start_to_start
