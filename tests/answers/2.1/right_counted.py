"""The members of a set, each written down."""

schedules, boots = ["daily-report", "clean-up"], ["first", "second", "third"]
entries_naive = len({f"{name}#{boot}" for name in schedules for boot in boots})
entries_guarded = len({name for name in schedules for _ in boots})
