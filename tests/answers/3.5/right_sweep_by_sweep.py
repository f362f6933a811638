"""A loop over the sweeps: each finds the entry due, or not."""


def drift_ms(every_ms, tick_ms, cycles):
    releases = []
    due_ms = now_ms = 0
    while len(releases) <= cycles:
        if due_ms <= now_ms:
            releases.append(now_ms)
            due_ms = now_ms + every_ms
        now_ms += tick_ms
    return releases[cycles] - cycles * every_ms
