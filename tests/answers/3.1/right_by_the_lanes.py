"""The lab's own lanes, run with the numbers of the exercise."""

from echomq_lab import FixedClock, connect, scenario

with connect("embedded://fakeredis", clock=FixedClock("10:10")) as conn:
    run = scenario.cadence_lanes(conn, "mine", every_ms=1_200_000, run_ms=420_000)
start_to_start, start_to_finish = (list(lane.marks_ms) for lane in run.lanes[:2])
