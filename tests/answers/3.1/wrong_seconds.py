"""Unix seconds for Unix milliseconds.

test: start to start
mistake: seconds for milliseconds
says: Those are the right instants in seconds
"""

first_s, every_s, run_s = 1_767_607_800, 1_200, 420
start_to_start = [first_s + n * every_s for n in range(4)]
start_to_finish = [first_s + n * (run_s + every_s) for n in range(4)]
