"""A loop over the releases: each waits from where it is due to the next sweep."""


def drift_ms(every_ms, tick_ms, cycles):
    at_ms = 0
    for _ in range(cycles):
        at_ms += every_ms
        at_ms += -at_ms % tick_ms
    return at_ms - cycles * every_ms
