"""The script as it was given.

test: another period
mistake: as given
says: Your script still does what the given one did
"""

from echomq_lab.scenario.given_register import GIVEN

BUG = "C"
REGISTER_FIXED = GIVEN
