"""The answer sleeps for a year, and does not wake by a signal.

exercise: 1.2
status: timed out
earned: 0
says: Your answer was stopped: no answer within 1.0 seconds
limit: 1
"""

import signal
import time

for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)


def next_interval(prev_ms, every_ms):
    time.sleep(31_536_000)
