"""Run it, and ask the registry."""

from echomq_lab import FixedClock, connect, repeat, scenario

conn = connect("embedded://fakeredis", clock=FixedClock("08:50"))
service = [scenario.Schedule("daily-report", 900_000), scenario.Schedule("clean-up", 3_600_000)]
for way in ("naive", "guarded"):
    scenario.boots(conn, way, service, 3, way=way)
entries_naive, entries_guarded = repeat.count(conn, "naive"), repeat.count(conn, "guarded")
