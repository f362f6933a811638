"""Which notebook of the course a student's is: by its answer cells, then by its file's name; one for each dive.

Source: grading, "Cells are matched by id".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from echomq_lab.grading import cells as beside
from echomq_lab.grading.collect import Found
from echomq_lab.grading.grade import Plan
from echomq_lab.grading.notebook import Cell
from echomq_lab.grading.released import DIVES, released, role_of

_ANSWER = re.compile(r"ex-([0-9])-[0-9]-answer")
_HUB = re.compile(r"(?<![0-9])00[-_ ]|hub", re.IGNORECASE)


def plans(found: Sequence[Found]) -> tuple[dict[int, Plan], list[str]]:
    """What to run of each dive's notebook, and what is to be remarked about which notebook was taken."""
    by_dive: dict[int, list[Found]] = {}
    remarks = []
    for each in found:
        dive = of_cells(each.cells)
        named = of_name(each.file)
        if dive and named and dive != named:
            remarks.append(f"{each.name}: is named as dive {named}, and its answer cells are those of dive {dive}")
        if number := dive or named:
            by_dive.setdefault(number, []).append(each)
        elif not _HUB.search(each.file):
            remarks.append(f"{each.name}: is none of the notebooks with exercises: not graded")
    chosen = {}
    for dive, several in sorted(by_dive.items()):
        chosen[dive], told = _one(dive, several)
        remarks += told
    return {dive: beside.plan(dive, each.cells) for dive, each in chosen.items()}, remarks


def of_cells(cells: Sequence[Cell]) -> int | None:
    """The dive that most answer cells are of, by id or by tags."""
    counts = Counter(int(found[1]) for cell in cells if (found := _ANSWER.fullmatch(cell.id)))
    if not counts:
        roles = [role_of(cell) for cell in cells]
        counts = Counter(int(exercise[0]) for role, exercise in roles if role == "answer" and exercise)
    known = [dive for dive in counts if dive in DIVES]
    return max(known, key=lambda dive: (counts[dive], -dive), default=None)


def of_name(name: str) -> int | None:
    """The dive that a file's name tells, by the words or the number of the one that was handed out."""
    plain = re.sub(r"[_ ]", "-", name.lower())
    by_words = [dive for dive in DIVES if released(dive).slug in plain]
    number = re.match(r"0*([0-9])(?![0-9])", plain)
    by_number = [int(number[1])] if number and int(number[1]) in DIVES else []
    return next(iter(by_words + by_number), None)


def _one(dive: int, several: Sequence[Found]) -> tuple[Found, list[str]]:
    """Of several notebooks for one dive the one that answers most, of equals the last by name."""
    if len(several) == 1:
        return several[0], []
    best = max(several, key=lambda each: (beside.answered(dive, each.cells), _natural(each.name)))
    others = [each for each in several if each is not best and each.sha256 != best.sha256]
    told = f"dive {dive}: {len(others) + 1} notebooks were handed in; {best.name} answers most and was graded"
    return best, [f"{told}, {', '.join(each.name for each in others)} not"] if others else []


def _natural(name: str) -> list[tuple[int, str]]:
    """A key that puts 2 before 10."""
    return [(int(part[:18]), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", name)]
