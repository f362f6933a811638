"""3.5 drift_ms: how far the releases of a schedule have drifted from whole periods, when sweeps come by a beat.

What is expected is found by walking from sweep to sweep, as the pump does.

Source: exercises, the table; wire contract, "The pump": each release that the tick delays moves every later one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from echomq_lab.checks import instants
from echomq_lab.checks.desk import Desk, Heard
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong

#: The period and the beat of the sweeps in ms, and the number of the release.
Case = tuple[int, int, int]

_TICKS_MS = (1_000, 1_500, 2_000, 5_000, 7_000)


def expected(case: Case) -> int:
    """What is expected: every sweep from 0 on finds the entry due or not, and a release writes now + period."""
    every_ms, tick_ms, cycles = case
    now_ms, due_ms, released = 0, 0, -1
    while True:
        if due_ms <= now_ms:
            released, due_ms = released + 1, now_ms + every_ms
            if released == cycles:
                return now_ms - cycles * every_ms
        now_ms += tick_ms


def _in_time(rng: Random) -> Sequence[Case]:
    """Periods that are a whole number of ticks; of one of them the first release is asked for."""
    ticks = [(rng.choice(_TICKS_MS), rng.randrange(1, 20), rng.randrange(2, 30)) for _ in range(3)]
    ticks.append((rng.choice(_TICKS_MS), rng.randrange(1, 20), 0))
    return [(tick_ms * times, tick_ms, cycles) for tick_ms, times, cycles in ticks]


def _late(rng: Random) -> Sequence[Case]:
    """Periods that are none: a little over some ticks, nearly one more, and less than one."""
    cases = []
    for least, most, low, high in ((1, 20, 10, 45), (1, 20, 55, 90), (1, 20, 10, 45), (0, 1, 55, 90)):
        tick_ms = rng.choice(_TICKS_MS)
        every_ms = rng.randrange(least, most) * tick_ms + tick_ms * rng.randrange(low, high) // 100
        # Ten cycles at least, so that the drift is more than a tick.
        cases.append((every_ms, tick_ms, rng.randrange(10, 30)))
    return cases


def _any(rng: Random) -> Sequence[Case]:
    return [*_in_time(rng)[:1], *_late(rng)[2:]]


def _ask(desk: Desk, case: Case) -> Heard:
    return desk.call("drift_ms", *case)


def _given(case: Case) -> str:
    every_ms, tick_ms, cycles = case
    sweeps = ", ".join(str(number * tick_ms) for number in range(3))
    return f"drift_ms({every_ms}, {tick_ms}, {cycles}): every {every_ms} ms, sweeps at {sweeps}, ...; release {cycles}"


def _simpler(in_time: bool) -> Callable[[Case], Iterator[Case]]:
    """Fewer cycles, then smaller numbers; a period shorter than a tick, or longer, stays so."""
    small = [(every_ms, tick_ms) for tick_ms in (1, 2, 3, 4, 5, 10) for every_ms in range(1, 2 * tick_ms)]
    small = [(every_ms, tick_ms) for every_ms, tick_ms in small if (every_ms % tick_ms == 0) is in_time]

    def simpler(case: Case) -> Iterator[Case]:
        every_ms, tick_ms, cycles = case
        for fewer in range(1, min(cycles, 3)):
            yield every_ms, tick_ms, fewer
        for less_ms, beat_ms in small:
            if (beat_ms, less_ms) < (tick_ms, every_ms) and (less_ms < beat_ms) is (every_ms < tick_ms):
                yield less_ms, beat_ms, cycles

    return simpler


def _whole(case: Case, heard: Heard) -> Wrong | None:
    return None if type(heard.value) is int else Wrong(_given(case), heard.told, "an int of milliseconds")


def _judge(case: Case, heard: Heard) -> Wrong | None:
    right = expected(case)
    if instants.is_number(heard.value) and heard.value == right:
        return None
    return Wrong(_given(case), heard.told, f"{right}: {_told(case)}")


def _told(case: Case) -> str:
    """The first releases of a case in words."""
    every_ms, _, cycles = case
    shown = range(min(cycles, 3) + 1)
    at = ", ".join(str(expected((*case[:2], number)) + number * every_ms) for number in shown)
    return f"the releases are at {at}{', ...' if cycles > 3 else ''}"


def _is(heard: Heard, value: int) -> bool:
    return instants.is_number(heard.value) and heard.value == value


def _one_more(case: Case, heard: Heard) -> bool:
    """Whether one more cycle was counted, or the instant of the release after it taken."""
    more = expected((*case[:2], case[2] + 1))
    return _is(heard, more) or _is(heard, more + case[0])


def _full_tick(case: Case, heard: Heard) -> bool:
    return _is(heard, case[1] * case[2]) or _is(heard, case[1])


def _rounded_down(case: Case, heard: Heard) -> bool:
    """Whether the release was put at the sweep before, or what it leaves over was taken for the drift."""
    every_ms, tick_ms, cycles = case
    return _is(heard, -(every_ms % tick_ms) * cycles) or _is(heard, every_ms % tick_ms * cycles)


def _from_score(case: Case, heard: Heard) -> bool:
    every_ms, tick_ms, cycles = case
    return _is(heard, -cycles * every_ms % tick_ms)


def _one_cycle(case: Case, heard: Heard) -> bool:
    return _is(heard, expected((*case[:2], 1)))


_ONE_MORE = Mistake(
    "one cycle too many",
    "You count one release too many. Release number 0 is the one at 0, so release number 1 comes after one cycle.",
    _one_more,
)

EXERCISE = Exercise(
    "3.5",
    "drift_ms",
    (Name("drift_ms", "a function", "(every_ms, tick_ms, cycles)"),),
    (
        Test(
            "type",
            1,
            "The answer is no int.",
            "Look at what your function returns for one call: drift_ms(5, 2, 1).",
            (
                "What is the unit of a drift, and can there be half of one?",
                "Look for a division: / makes a float of two ints.",
                "// divides ints into an int, and -(-a // b) is that rounded up.",
            ),
            _any,
            _ask,
            _whole,
            _given,
            simpler=lambda case: _simpler(case[0] % case[1] == 0)(case),
            mistakes=instants.kinds(),
        ),
        Test(
            "in time",
            1,
            "The period is a whole number of ticks, so a sweep stands exactly where each run is due: no drift.",
            "Write down the sweeps and the releases of the counter-example, and compare.",
            (
                "If a sweep comes at the very instant at which a run is due, how late is the run?",
                "What does your function do when the period divides by the tick and nothing is left?",
                "Every 4 ms, sweeps at 0, 2, 4, ...: released at 0, 4, 8. What is due at now is due.",
            ),
            _in_time,
            _ask,
            _judge,
            _given,
            simpler=_simpler(True),
            mistakes=(
                Mistake(
                    "a full tick",
                    "You have each run wait a full tick. A sweep that stands exactly where the run is due finds it.",
                    _full_tick,
                ),
                _ONE_MORE,
            ),
        ),
        Test(
            "value",
            2,
            "That is not how far the releases have drifted.",
            "Write down the sweeps of the counter-example, and at which of them each run is released.",
            (
                "A run is due between two sweeps. Which of them releases it, and where does the next period begin?",
                "Work out how far apart two releases are: it is a whole number of ticks.",
                "Every 5 ms, sweeps at 0, 2, 4, 6, ...: due at 5, released at 6; then due at 11, released at 12.",
            ),
            _late,
            _ask,
            _judge,
            _given,
            simpler=_simpler(False),
            mistakes=(
                Mistake(
                    "no drift",
                    "You say that nothing drifts. A run that is due between two sweeps waits for the next one, and the "
                    "period after it counts from there.",
                    lambda _, heard: _is(heard, 0),
                ),
                Mistake(
                    "the tick rounded down",
                    "You release a run at the sweep before it is due, or count from there. A sweep finds only what is "
                    "due already: round up to the next one.",
                    _rounded_down,
                ),
                Mistake(
                    "a full tick each time",
                    "You have each run wait a full tick. It waits only from where it is due to the next sweep.",
                    _full_tick,
                ),
                _ONE_MORE,
                Mistake(
                    "from the score",
                    "That is how late one run is if the periods count from the score. EchoMQ counts from the release, "
                    "so each wait adds to those before it.",
                    _from_score,
                ),
                Mistake(
                    "seconds for milliseconds",
                    "That is the drift in seconds. All times here are milliseconds.",
                    lambda case, heard: _is(heard, expected(case) // 1_000),
                ),
                Mistake(
                    "one cycle alone",
                    "That is the drift of one cycle. Each cycle adds as much again.",
                    _one_cycle,
                ),
            ),
        ),
    ),
)
