"""The given script with two lines changed about."""

from echomq_lab.scenario.given_register import GIVEN

first, writes_period, guard, *rest = GIVEN.splitlines()
BUG = "C"
REGISTER_FIXED = "\n".join([first, guard, writes_period, *rest])
