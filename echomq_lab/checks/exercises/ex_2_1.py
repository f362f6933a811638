"""2.1 entries_naive, entries_guarded: how many entries the registry has after three boots of two schedules.

The naive add writes entry and record under name#boot, the guarded one is register. What is right comes from a run.

Source: exercises, the table; seed 000, "The upsert".
"""

from __future__ import annotations

from functools import cache

from echomq_lab import repeat
from echomq_lab.checks.desk import Desk, Heard
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.clock import FixedClock
from echomq_lab.scenario import Schedule, Way, boots
from echomq_lab.store import FAKEREDIS, connect

#: What is asked: three boots of two schedules.
BOOTS, SCHEDULES = 3, (Schedule("daily-report", 900_000), Schedule("clean-up", 3_600_000))
_NAMES = {Way.NAIVE: "entries_naive", Way.GUARDED: "entries_guarded"}
_HOW = {Way.NAIVE: "each boot adds under name#boot", Way.GUARDED: "each boot registers"}


@cache
def entries(way: Way, times: int = BOOTS, schedules: int = len(SCHEDULES)) -> int:
    """How many entries there are after boots of the first schedules, in one way."""
    with connect(FAKEREDIS, clock=FixedClock()) as conn:
        boots(conn, "boots", SCHEDULES[:schedules], times, way=way)
        return repeat.count(conn, "boots")


def _ask(desk: Desk, way: Way) -> Heard:
    return desk.value(_NAMES[way])


def _given(way: Way) -> str:
    return f"{BOOTS} boots of {len(SCHEDULES)} schedules on an empty queue; {_HOW[way]}"


def _judge(way: Way, heard: Heard) -> Wrong | None:
    if type(heard.value) is int and heard.value == entries(way):
        return None
    # The number itself is what is asked for, so it is not told.
    return Wrong(_given(way), f"{_NAMES[way]} = {heard.told}", "what repeat.count says after such boots")


EXERCISE = Exercise(
    "2.1",
    "entries_naive, entries_guarded",
    tuple(Name(name, "a whole number", type="int") for name in _NAMES.values()),
    (
        Test(
            "naive",
            2,
            "That is not how many entries the naive boots leave.",
            "Boot one schedule two times with way='naive', and look at the names in the registry.",
            (
                "When does a sorted set get another member, and when does it rewrite one that it has?",
                "Write down the member that each boot adds for daily-report. How many of them are alike?",
                "One schedule, two boots: daily-report#1 and daily-report#2, two entries. Now take yours.",
            ),
            lambda _: [Way.NAIVE],
            _ask,
            _judge,
            _given,
            mistakes=(
                Mistake(
                    "the same member rewritten",
                    "You let each boot rewrite the entries of the one before. It would, under the same name; but "
                    "name#boot is another member at each boot.",
                    lambda _, heard: heard.value == entries(Way.AGAIN),
                ),
                Mistake(
                    "one schedule",
                    "That many entries come from one schedule. The service has more than one, and each boot adds all "
                    "of them.",
                    lambda way, heard: heard.value == entries(way, schedules=1),
                ),
                Mistake(
                    "keys counted",
                    "You count the records too. A record is a key of its own; the registry holds the entries alone.",
                    lambda way, heard: heard.value in (2 * entries(way), 2 * entries(way) + 1),
                ),
            ),
            of=("entries_naive",),
        ),
        Test(
            "guarded",
            2,
            "That is not how many entries the guarded boots leave.",
            "Call repeat.register twice with one name, and ask repeat.count after each call.",
            (
                "What does register write at the second boot?",
                "Count the calls that answer `registered`: each of them makes one entry.",
                "One schedule, two boots: `registered`, then `exists`. One call has written, one entry is there.",
            ),
            lambda _: [Way.GUARDED],
            _ask,
            _judge,
            _given,
            mistakes=(
                Mistake(
                    "runs counted",
                    "You count how often register is called. Only a call that finds no record makes an entry.",
                    lambda _, heard: heard.value == BOOTS * len(SCHEDULES),
                ),
                Mistake(
                    "one for each boot",
                    "You let each boot add an entry. A boot that finds the record writes nothing: no entry, not even "
                    "one for the boot.",
                    lambda way, heard: heard.value in (BOOTS, entries(way) + BOOTS - 1),
                ),
                Mistake(
                    "one for the service",
                    "You count one entry for the whole service. The registry has one entry for each name that is "
                    "registered.",
                    lambda _, heard: heard.value == 1,
                ),
            ),
            of=("entries_guarded",),
        ),
    ),
)
