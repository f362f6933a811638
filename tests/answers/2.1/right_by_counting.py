"""The members of a set, each written down."""

schedules = ["daily-report", "clean-up"]
entries_naive = len({f"{name}#{boot}" for name in schedules for boot in (1, 2, 3)})
entries_guarded = len({name for name in schedules for _ in (1, 2, 3)})
