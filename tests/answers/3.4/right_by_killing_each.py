"""Each order killed at each of its points by the lab."""

from echomq_lab import FixedClock, connect, repeat, scenario


def fates(way):
    for step in range(1, 8):
        with connect("embedded://fakeredis", clock=FixedClock("09:00")) as conn:
            repeat.register(conn, "mine", "visits", 900_000, "{}")
            yield scenario.sweep_steps(conn, "mine", kill_before=step, way=way).fate


crash_order = {
    way: "loses" if "lost" in set(fates(way)) else "repeats"
    for way in ("enqueue, then advance", "advance, then enqueue")
}
