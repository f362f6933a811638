"""The one table: the rows that a benchmark declares, and what one run of it found for them.

A benchmark is a module `bench_*` with `ROWS`, which can be read without measuring, and `run()`, which prints whatever
it wants to show and answers a `Measured` for each row, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import ge, le, lt

_HOLDS: dict[str, Callable[[float, float], bool]] = {"at least": ge, "at most": le, "under": lt}
HEADING = ("what", "figure", "ratio", "limit", "met")


@dataclass(frozen=True, slots=True)
class Limit:
    """A bar, such as `Limit("at least", 20)`."""

    words: str
    value: float

    def holds(self, value: float) -> bool:
        """Whether a value keeps to the limit."""
        return _HOLDS[self.words](value, self.value)

    def __str__(self) -> str:
        return f"{self.words} {number(self.value)}"


@dataclass(frozen=True, slots=True)
class Row:
    """What is measured and in which unit; the limit is on its ratio, or on the figure where it has none."""

    name: str
    unit: str
    limit: Limit | None = None

    def measured(self, figure: float, ratio: float | None = None) -> Measured:
        """The row with what was found."""
        return Measured(self, figure, ratio)

    def missing(self, why: str) -> Measured:
        """The row when it could not be measured: a limit that cannot be shown is not met."""
        return Measured(self, why=why)


@dataclass(frozen=True, slots=True)
class Measured:
    """A row of the table with its figure and ratio, or why there are none."""

    row: Row
    figure: float | None = None
    ratio: float | None = None
    why: str = ""

    @property
    def met(self) -> bool:
        """False when a limit is not kept or nothing could be measured."""
        if self.figure is None:
            return False
        return self.row.limit is None or self.row.limit.holds(self.figure if self.ratio is None else self.ratio)

    def cells(self) -> tuple[str, ...]:
        """The row as it is printed, under `HEADING`."""
        figure = f"not measured: {self.why}" if self.figure is None else f"{number(self.figure)} {self.row.unit}"
        ratio = "" if self.ratio is None else number(self.ratio)
        answer = "" if self.row.limit is None else ("yes" if self.met else "no")
        return self.row.name, figure, ratio, str(self.row.limit or ""), answer


def number(value: float) -> str:
    """A number in three digits or all that stand before its point."""
    places = next((places for places, least in ((0, 100), (1, 10)) if abs(value) >= least), 2)
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def text(found: Iterable[Measured]) -> str:
    """The table for a terminal."""
    lines = [HEADING, *(each.cells() for each in found)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADING))]
    return "\n".join("  ".join(map(_padded, line, widths)).rstrip() for line in lines)


def markdown(found: Iterable[Measured]) -> str:
    """The table for a page."""
    lines = [HEADING, ("---", "---:", "---:", "---", "---"), *(each.cells() for each in found)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _padded(cell: str, width: int) -> str:
    return cell.ljust(width)
