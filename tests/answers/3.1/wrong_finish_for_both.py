"""Start-to-finish for both.

test: start to start
mistake: start-to-finish for both
says: start_to_start waits for the end of each run
only: yes
"""

first_ms, every_ms, run_ms = 1_767_607_800_000, 1_200_000, 420_000
start_to_finish = [first_ms + n * (run_ms + every_ms) for n in range(4)]
start_to_start = start_to_finish
