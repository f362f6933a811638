"""The cell ends the process.

exercise: 1.2
status: crashed
earned: 0
says: The answer cell was stopped: the process that ran it ended
"""

import os

os._exit(0)
