"""Six members of six names; two names that are registered once."""

entries_naive = 6
entries_guarded = 2
