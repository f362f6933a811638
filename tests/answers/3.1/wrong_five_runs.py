"""The first run and four more.

test: start to start
mistake: another number of runs
says: Four runs are asked for
"""

first_ms, every_ms, run_ms = 1_767_607_800_000, 1_200_000, 420_000
start_to_start = [first_ms + n * every_ms for n in range(5)]
start_to_finish = [first_ms + n * (run_ms + every_ms) for n in range(5)]
