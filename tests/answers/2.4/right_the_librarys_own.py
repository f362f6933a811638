"""The library's own script, which is shown after 2.3."""

from echomq_lab import scripts

BUG = "C"
REGISTER_FIXED = scripts.source("register")
