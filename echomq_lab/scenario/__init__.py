"""The dives as runs: real verbs on a real store, under a lab clock that the run moves.

    cadences(conn, queue, ...)    dive 1: a cron rule and an interval, from a now
    Cadences(conn, queue, ...)    the same, moved by hand

Nothing in a run is worked out beside the store, except where it says "predicted".

Source: architecture, "what a student sees is what ran".
"""

from echomq_lab.scenario.cadence import MOST_RUNS, NAME, CadenceRun, Cadences, Lane, cadences, scores
from echomq_lab.scenario.fresh import fresh_queue

__all__ = ["MOST_RUNS", "NAME", "CadenceRun", "Cadences", "Lane", "cadences", "fresh_queue", "scores"]
