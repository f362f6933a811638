"""The lab's own rules, asked at the lab's own clock."""

from echomq_lab import Cron, FixedClock, Interval

now_ms = FixedClock("2026-03-11T06:20:13.250Z").now_ms()
cron_next_ms = Cron("20 6 * * 3").next_at(now_ms)
interval_next_ms = Interval(45 * 60_000).next_at(now_ms)
