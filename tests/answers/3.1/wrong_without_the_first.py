"""The first run is left out of both lists.

test: start to start
mistake: without the first
says: The first run is left out
"""

first_ms, every_ms, run_ms = 1_767_607_800_000, 1_200_000, 420_000
start_to_start = [first_ms + n * every_ms for n in range(1, 5)]
start_to_finish = [first_ms + n * (run_ms + every_ms) for n in range(1, 5)]
