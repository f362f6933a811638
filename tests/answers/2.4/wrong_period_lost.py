"""The line at fault is deleted, and no record gets a period.

test: a new name
says: The mended script no longer gives a new name
only: yes
"""

from echomq_lab.scenario.given_register import GIVEN

BUG = "C"
REGISTER_FIXED = "\n".join(line for line in GIVEN.splitlines() if "every_ms" not in line)
