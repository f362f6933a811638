"""The next run begins where the last one ended.

test: start to finish
mistake: without the period
says: The next run begins where the last one ended
only: yes
"""

first_ms, every_ms, run_ms = 1_767_607_800_000, 1_200_000, 420_000
start_to_start = [first_ms + n * every_ms for n in range(4)]
start_to_finish = [first_ms + n * run_ms for n in range(4)]
