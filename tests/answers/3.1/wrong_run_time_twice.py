"""The run time is added twice in each cycle.

test: start to finish
mistake: the run time twice
says: The run time is added twice
only: yes
"""

first_ms, every_ms, run_ms = 1_767_607_800_000, 1_200_000, 420_000
start_to_start = [first_ms + n * every_ms for n in range(4)]
start_to_finish = [first_ms + n * (run_ms + every_ms + run_ms) for n in range(4)]
