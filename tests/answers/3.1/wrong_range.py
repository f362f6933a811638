"""The right runs, not yet in a list.

test: start to start
mistake: no list yet
says: What stands there makes its items only
"""

first_ms, every_ms, run_ms = 1_767_607_800_000, 1_200_000, 420_000
start_to_start = range(first_ms, first_ms + 4 * every_ms, every_ms)
start_to_finish = range(first_ms, first_ms + 4 * (run_ms + every_ms), run_ms + every_ms)
