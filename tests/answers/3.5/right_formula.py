"""Two releases are a whole number of ticks apart: the period rounded up to one."""


def drift_ms(every_ms, tick_ms, cycles):
    gap_ms = -(-every_ms // tick_ms) * tick_ms
    return cycles * (gap_ms - every_ms)
