"""The answer aborts, and would leave a core.

exercise: 1.2
status: crashed
earned: 0
says: Your answer was stopped: the process that ran it ended
"""

import os
import resource


def next_interval(prev_ms, every_ms):
    resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE)[1:] * 2)
    os.abort()
