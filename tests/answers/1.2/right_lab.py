"""The lab's own rule."""

from echomq_lab import Interval


def next_interval(prev_ms, every_ms):
    return Interval(every_ms).next_at(prev_ms)
