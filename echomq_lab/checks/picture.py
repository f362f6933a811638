"""A counter-example as a clock rail: what was expected above, what the answer said below.

Source: exercises, "drawn on the rail where there is one".
"""

from __future__ import annotations

from echomq_lab.checks.exercise import Marks
from echomq_lab.figures import Rail
from echomq_lab.layout import lay_out
from echomq_lab.scenario import CadenceRun, Lane
from echomq_lab.trace import Trace
from echomq_lab.wording import UnshowableError, clock_time, in_calendar

_FAR_MS = 400 * 86_400_000
#: More runs than that nobody tells apart.
_MOST = 12


class _Said(Lane):
    """A lane of instants that somebody said."""

    @property
    def source(self) -> str:
        return "the library" if self.kind == "expected" else "your answer"


def rail(marks: Marks) -> Rail:
    """The marks as a picture; instants that no clock can show are left out, and those past the first dozen."""
    said = (("expected", marks.expected_ms), ("yours", marks.came_ms))
    lanes = tuple(_lane(kind, runs, marks.tz) for kind, runs in said)
    return Rail(lay_out(CadenceRun(marks.now_ms, lanes, Trace("checked")), _window(marks.now_ms, lanes)))


def _lane(kind: str, runs_ms: tuple[int, ...], tz: str) -> _Said:
    drawn = tuple(sorted(at_ms for at_ms in runs_ms[:_MOST] if _shows(at_ms, tz)))
    rule = "next run" if len(runs_ms) == 1 else "runs" if len(runs_ms) <= _MOST else f"the first {_MOST} runs"
    return _Said(kind, rule, rule, tz, len(drawn), drawn)


def _shows(at_ms: int, tz: str) -> bool:
    """Whether a clock in the zone can show an instant."""
    if not in_calendar(at_ms):
        return False
    try:
        clock_time(at_ms, tz)
    except UnshowableError:
        return False
    return True


def _window(now_ms: int, lanes: tuple[Lane, ...]) -> tuple[int, int]:
    """From the first to the last instant with some room, unless it is so far off that the others would be one."""
    near = [at_ms for lane in lanes for at_ms in lane.marks_ms if abs(at_ms - now_ms) <= _FAR_MS] + [now_ms]
    pad_ms = max((max(near) - min(near)) // 12, 1)
    return max(min(near) - pad_ms, 0), max(near) + pad_ms
