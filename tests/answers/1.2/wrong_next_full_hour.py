"""The gap counted from the next full hour instead of from the previous run.

test: value
mistake: from the next full hour
says: You count from the next full hour
only: yes
"""


def next_interval(prev_ms, every_ms):
    hour_ms = 60 * 60 * 1000
    return -(-prev_ms // hour_ms) * hour_ms + every_ms
