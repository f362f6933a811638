"""The dives as runs: real verbs on a real store, under a lab clock that the run moves.

    cadences(conn, queue, ...)    dive 1: a cron rule and an interval, from a now
    Cadences(conn, queue, ...)    the same, moved by hand
    boots(conn, queue, ...)       dive 2: a service that boots again and again
    Boots(conn, queue, ...)       the same, booted by hand
    cadence_lanes(conn, queue)    dive 3: one period, and three ways to write the next run
    outage(conn, queue)           the same with a pump that stops for an hour
    sweep_steps(conn, queue)      dive 3: one sweep, killed or disturbed between any two of its steps
    spread(queues, schedules)     dive 2: many queues on an embedded cluster, and which node holds what
    try_order(conn, queue, order) exercise 2.2: two boots by a script that was put together from blocks
    boot_by(conn, queue, ...)     boots by the text of any register script

Nothing in a run is worked out beside the store, except where it says "predicted".

Source: architecture, "what a student sees is what ran".
"""

from echomq_lab.scenario.advance import AdvanceRun, ReleaseLane, cadence_lanes, outage
from echomq_lab.scenario.boots import BootRun, Boots, Order, Schedule, Way, boots
from echomq_lab.scenario.cadence import MOST_RUNS, NAME, CadenceRun, Cadences, Lane, cadences, scores, takes_run
from echomq_lab.scenario.fresh import fresh_queue
from echomq_lab.scenario.register_blocks import BLOCKS, assemble, boot_by, try_order
from echomq_lab.scenario.spread import SpreadRun, spread
from echomq_lab.scenario.sweep_steps import SweepRun, cancelled_midway, sweep_steps, two_pumps

__all__ = [
    "BLOCKS",
    "MOST_RUNS",
    "NAME",
    "AdvanceRun",
    "BootRun",
    "Boots",
    "CadenceRun",
    "Cadences",
    "Lane",
    "Order",
    "ReleaseLane",
    "Schedule",
    "SpreadRun",
    "SweepRun",
    "Way",
    "assemble",
    "boot_by",
    "boots",
    "cadence_lanes",
    "cadences",
    "cancelled_midway",
    "fresh_queue",
    "outage",
    "scores",
    "spread",
    "sweep_steps",
    "takes_run",
    "try_order",
    "two_pumps",
]
