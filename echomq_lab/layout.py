"""Where everything on a clock rail stands: one plan for a file, a notebook's picture and a live rail.

Places are fractions of the rail's width, 0 at its left edge. Nothing is drawn here.

Source: widgets, "The technique"; seed 001, "Static verdicts".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from echomq_lab.errors import ArgumentError
from echomq_lab.scenario import CadenceRun, Lane
from echomq_lab.wording import clock_time, day, in_calendar, visible

_MOST_TICKS = 8
_PAD = 0.06
# How many characters of a label fit side by side.
_CHARACTERS = 105
# The steps a clock's reader expects, in ms.
_TICKS_MS: tuple[int, ...] = (1, 5, 10, 50, 100, 500, 1_000, 2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000)
_TICKS_MS += (600_000, 900_000, 1_800_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000)
_TICKS_MS += (604_800_000, 2_419_200_000, 7_776_000_000, 31_536_000_000)


class Kind(NamedTuple):
    """How a lane of one kind looks: its marker, as matplotlib has it and in words, and its colour (Okabe-Ito).

    `name` stands before the rule, `says` tells whether its sentence stands after it, `hops` whether gaps are drawn,
    `waits` whether a mark at or before now is one that waits for a sweep, `bars` whether a run's length is drawn.
    """

    marker: str
    shape: str
    colour: str
    name: str
    says: bool = False
    hops: bool = False
    waits: bool = False
    bars: bool = False


KINDS = {
    "cron": Kind("D", "diamonds", "#0072b2", "cron"),
    "interval": Kind("o", "circles", "#d55e00", "interval", says=True, hops=True, waits=True),
    "start": Kind("o", "circles", "#d55e00", "start-to-start:", bars=True),
    "finish": Kind("s", "squares", "#0072b2", "start-to-finish:", bars=True),
    "score": Kind("^", "triangles", "#009e73", "score-anchored:", bars=True),
    "expected": Kind("o", "circles", "#009e73", "expected:"),
    "yours": Kind("X", "crosses", "#d55e00", "yours:"),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A run, in the shape of its lane's kind: filled when the store holds it and hollow when predicted."""

    gid: str
    x: float
    hollow: bool


@dataclass(frozen=True, slots=True)
class Word:
    """A text; `gid` tells which, and with it the row, the size and which of its ends stands at `x`."""

    gid: str
    x: float
    text: str


@dataclass(frozen=True, slots=True)
class Hop:
    """A stretch of a lane: the gap from one run of an interval to the next, or how long a run takes."""

    gid: str
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Layout:
    """A rail laid out: `kinds` are its lanes from the top, `lit` the selected ones, `alt` the text alternative.

    `now_x` is None on a rail that tells what has been.
    """

    kinds: tuple[str, ...]
    lit: tuple[str, ...]
    now_x: float | None
    ticks: tuple[float, ...]
    marks: tuple[Mark, ...]
    hops: tuple[Hop, ...]
    bars: tuple[Hop, ...]
    words: tuple[Word, ...]
    alt: str


def lay_out(run: CadenceRun, window_ms: tuple[int, int] | None = None, lit: str | None = None) -> Layout:
    """Lay a run out between the instants of a window, or from now to the end of the lane that ends first.

    What lies beyond an edge is said in words. Raises `ArgumentError` for a window that is none.
    """
    if window_ms is not None:
        _takes_window(window_ms)
    scale = _Scale(run.now_ms, *(window_ms or _around(run)))
    ticks = _ticks(scale)
    now_x = scale.x(run.now_ms) if run.looks_ahead else None
    now = f"now {clock_time(run.now_ms)}"
    words = [Word(f"tick-label-{number}", x, text) for number, (x, text) in enumerate(ticks)]
    words.append(Word("day", 0.5, f"{day(run.now_ms)}, UTC"))
    if now_x is not None:
        half = len(now) / _CHARACTERS / 2
        words.append(Word("now-label", min(max(now_x, half), 1 - half), now))
    marks: list[Mark] = []
    hops: list[Hop] = []
    bars: list[Hop] = []
    stands = "now is" if run.looks_ahead else "it begins on"
    told = [f"A clock rail with {len(run.lanes)} lanes; {stands} {day(run.now_ms)}, {clock_time(run.now_ms)} UTC."]
    if window_ms is not None:
        left, right = (clock_time(edge_ms, seen_from_ms=run.now_ms) for edge_ms in window_ms)
        told.append(f"It reaches from {left} to {right}.")
    for lane in run.lanes:
        seen = _Seen(lane, scale, now_x)
        chosen = ", selected" if lane.kind == lit else ""
        words.append(Word(f"{lane.kind}-title", 0.005, f"{'▶ ' if chosen else ''}{_title(lane)} ({lane.source})"))
        words += seen.words()
        marks += seen.marks()
        hops += seen.hops() if KINDS[lane.kind].hops else []
        bars += seen.bars()
        told.append(f"Lane {_title(lane)} ({lane.source}){chosen}, {seen.told()}.")
    return Layout(
        tuple(lane.kind for lane in run.lanes),
        () if lit is None else (lit,),
        now_x,
        tuple(x for x, _ in ticks),
        tuple(marks),
        tuple(hops),
        tuple(bars),
        tuple(words),
        " ".join(told),
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    now_ms: int
    left_ms: int
    right_ms: int

    def x(self, at_ms: float) -> float:
        return (at_ms - self.left_ms) / (self.right_ms - self.left_ms)


class _Seen:
    """A lane seen through a window: what is inside, and what is not."""

    def __init__(self, lane: Lane, scale: _Scale, now_x: float | None) -> None:
        self.lane, self.scale, self.now_x = lane, scale, now_x
        self.kind = KINDS[lane.kind]
        drawn = lane.marks_ms
        self.before = [at_ms for at_ms in drawn if at_ms < scale.left_ms]
        self.inside = [at_ms for at_ms in drawn if scale.left_ms <= at_ms <= scale.right_ms]
        self.beyond = [at_ms for at_ms in drawn if at_ms > scale.right_ms]

    def time(self, at_ms: int) -> str:
        text = clock_time(at_ms, self.lane.tz, seen_from_ms=self.scale.now_ms)
        if self.kind.waits and at_ms <= self.scale.now_ms:
            return f"{text} due"
        return f"{text} now" if at_ms == self.scale.now_ms and self.now_x is not None else text

    def times(self, marks: list[int]) -> str:
        return ", ".join(map(self.time, marks))

    def marks(self) -> list[Mark]:
        return [
            Mark(
                f"{self.lane.kind}-{number}", self.scale.x(at_ms), self.lane.marks_ms.index(at_ms) >= self.lane.written
            )
            for number, at_ms in enumerate(self.inside)
        ]

    def hops(self) -> list[Hop]:
        stops = [self.scale.x(at_ms) for at_ms in self.inside]
        if self.lane.starts_ms is not None and self.lane.starts_ms >= self.scale.left_ms and not self.before:
            stops.insert(0, self.scale.x(self.lane.starts_ms))
        pairs = [(start, end) for start, end in pairwise(stops) if end - start > 0.03]
        return [Hop(f"{self.lane.kind}-hop-{number}", start, end - start) for number, (start, end) in enumerate(pairs)]

    def bars(self) -> list[Hop]:
        """How long each run takes, up to the edge."""
        if not self.kind.bars:
            return []
        ends = [min(self.scale.x(at_ms + self.lane.run_ms), 1.0) for at_ms in self.inside]
        starts = [self.scale.x(at_ms) for at_ms in self.inside]
        pairs = zip(starts, ends, strict=True)
        return [Hop(f"{self.lane.kind}-bar-{number}", start, end - start) for number, (start, end) in enumerate(pairs)]

    def words(self) -> list[Word]:
        kind = self.lane.kind
        words = [Word(f"{kind}-label-{number}", x, text) for number, (x, text) in enumerate(self._labels())]
        if self.before:
            words.append(Word(f"{kind}-before", 0.005, f"before this edge: {self.times(self.before[:2])}"))
        if self.beyond:
            more = f" and {len(self.beyond) - 2} more" if len(self.beyond) > 2 else ""
            words.append(Word(f"{kind}-beyond", 1.0, f"beyond this edge: {self.times(self.beyond[:2])}{more}"))
        return words

    def told(self) -> str:
        before = f"; before the left edge: {self.times(self.before)}" if self.before else ""
        beyond = f"; beyond the right edge: {self.times(self.beyond)}" if self.beyond else ""
        return f"{self.kind.shape}: {self.times(self.inside) or 'no mark'}{before}{beyond}"

    def _labels(self) -> list[tuple[float, str]]:
        """A label under each mark, clear of the edges and of the line at now; marks too close for that share one."""
        character = 1 / _CHARACTERS
        groups = [[at_ms] for at_ms in self.inside]
        while True:
            texts = [self._label(group) for group in groups]
            half = [len(text) * character / 2 for text in texts]
            middles = [self.scale.x((group[0] + group[-1]) / 2) for group in groups]
            clear = [self._clear(at, h + character) for at, h in zip(middles, half, strict=True)]
            placed = [max(min(at, 1 - h), h) for at, h in zip(clear, half, strict=True)]
            gaps = [placed[i + 1] - half[i + 1] - placed[i] - half[i] for i in range(len(placed) - 1)]
            close = next((i for i, gap in enumerate(gaps) if gap < character), None)
            if close is None:
                return list(zip(placed, texts, strict=True))
            groups[close : close + 2] = [groups[close] + groups[close + 1]]

    def _clear(self, at: float, room: float) -> float:
        """Where a label of half this room stands so that the line at now does not cross it."""
        if self.now_x is None or abs(at - self.now_x) >= room:
            return at
        return self.now_x + (room if at >= self.now_x else -room)

    def _label(self, group: list[int]) -> str:
        if len(group) <= 3:
            return self.times(group)
        return f"{self.time(group[0])} to {self.time(group[-1])}, {len(group)} marks"


def _takes_window(window_ms: tuple[int, int]) -> None:
    two = type(window_ms) in (tuple, list) and len(window_ms) == 2
    if not two or not all(map(in_calendar, window_ms)) or window_ms[0] >= window_ms[1]:
        hint = "try (clock.now_ms(), clock.now_ms() + 3_600_000)"
        raise ArgumentError("window_ms", window_ms, "two Unix milliseconds, the earlier first", hint)


def _around(run: CadenceRun) -> tuple[int, int]:
    """From a little before now to a little after the last mark of the lane that gets there first."""
    lasts = [lane.marks_ms[-1] for lane in run.lanes if lane.marks_ms and lane.marks_ms[-1] > run.now_ms]
    reach = min(lasts, default=run.now_ms + 60_000) - run.now_ms
    pad = max(1, round(reach * _PAD))
    return run.now_ms - pad, run.now_ms + reach + pad


def _ticks(scale: _Scale) -> list[tuple[float, str]]:
    span = scale.right_ms - scale.left_ms
    most = _MOST_TICKS if span < 86_400_000 else 5
    step = next((tick for tick in _TICKS_MS if span / tick <= most), span // 4)
    ticks = []
    for at_ms in range(-(-scale.left_ms // step) * step, scale.right_ms + 1, step):
        label = clock_time(at_ms, seen_from_ms=scale.now_ms)
        half = len(label) / _CHARACTERS / 2
        if half <= scale.x(at_ms) <= 1 - half:
            ticks.append((scale.x(at_ms), label))
    return ticks


def _title(lane: Lane) -> str:
    kind = KINDS[lane.kind]
    gap = f", {lane.says}" if kind.says else ""
    zone = "" if lane.tz == "UTC" else f", times in {lane.tz}"
    return f"{kind.name} {visible(lane.rule, 40)}{gap}{zone}"


def room(kinds: tuple[str, ...], most: int) -> Layout:
    """Every part that a rail of at most `most` marks a lane can have, at its left edge, a word in each text."""
    marks = tuple(Mark(f"{kind}-{number}", 0.0, False) for kind in kinds for number in range(most))
    hops = tuple(Hop(f"{kind}-hop-{number}", 0.0, 1.0) for kind in kinds if KINDS[kind].hops for number in range(most))
    bars = tuple(Hop(f"{kind}-bar-{number}", 0.0, 1.0) for kind in kinds if KINDS[kind].bars for number in range(most))
    ticks = tuple(0.0 for _ in range(_MOST_TICKS + 1))
    gids = [f"tick-label-{number}" for number in range(len(ticks))] + ["day", "now-label"]
    gids += [f"{kind}-{role}" for kind in kinds for role in ("title", "before", "beyond")]
    gids += [f"{kind}-label-{number}" for kind in kinds for number in range(most)]
    return Layout(kinds, kinds, 0.0, ticks, marks, hops, bars, tuple(Word(gid, 0.0, "-") for gid in gids), "")
