"""Each order killed between its two writes by the lab."""

from echomq_lab import FixedClock, connect, repeat, scenario

crash_order = {}
with connect("embedded://fakeredis", clock=FixedClock("09:00")) as conn:
    for way in ("enqueue, then advance", "advance, then enqueue"):
        queue = scenario.fresh_queue(conn, "mine")
        repeat.register(conn, queue, "visits", 900_000, "{}")
        run = scenario.sweep_steps(conn, queue, kill_before=6, way=way)
        crash_order[way] = {0: "loses", 2: "repeats"}[run.jobs]
