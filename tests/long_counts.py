"""How far the long tests go: the whole counts in `make soak`, a tenth of each in `make test`.

A test of a whole count bears the mark `soak`; its twin of a tenth takes the count from `tenth`.
"""

from __future__ import annotations

#: Races of each number of atomic pumps over so many due registrations, and those of the faithful sweep beside them.
RACES = 20
RACED = 10_000
FAITHFUL_RACES = 2

#: Programs that are drawn for the model of the scheduler, on each store.
PROGRAMS = 300

#: An hour on the lab clock, and the registrations that live through it: fewer on fakeredis, whose jobs cost more.
HOUR_S = 3_600
HOURLY = 10_000
HOURLY_FEWER = 1_000

#: Kills of a forked pump, of a pump that is a process of the command line, of the server; random cuts of the line.
PUMP_KILLS = 500
COMMAND_KILLS = 50
SERVER_KILLS = 50
CUTS = 200


def tenth(whole: int) -> int:
    """A tenth of a count."""
    return whole // 10
