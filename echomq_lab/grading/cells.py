"""A student's notebook beside the one that was handed out: what of it is run, and what is remarked.

Cells are matched by id, then by tags, then by an equal source. An answer cell that is found by none of these is known
by the names that its exercise asks for. Then, in the notebook's order:

    run                     answer cells; the student's own cells; a setup cell that was changed
    run if it is needed     what was handed out, setup and demonstrations: where a cell that runs uses a name of theirs
    never run               cells tagged check or predict; calls of check, hint and progress alone

A demonstration takes seconds and grades nothing. A changed setup cell runs after the one that was handed out: what the
change broke is there all the same, and what it added too. It is no danger, since it sits where all of a student's code
sits.

Source: grading, "Cells are matched by id".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from echomq_lab.checks.exercises import IDS, exercise
from echomq_lab.grading import needs
from echomq_lab.grading.grade import Plan
from echomq_lab.grading.needs import Names
from echomq_lab.grading.notebook import Cell
from echomq_lab.grading.released import Released, released, role_of

_NEVER = ("check", "predict")
_FORMATIVE = frozenset(("check", "hint", "progress"))
#: So many names are told in one remark.
_MOST_TOLD = 8


def plan(dive: int, cells: Sequence[Cell]) -> Plan:
    """What to run of a student's notebook of a dive."""
    return _Beside(released(dive), cells).plan()


def answered(dive: int, cells: Sequence[Cell]) -> int:
    """How many exercises have an answer cell that is not as it was handed out."""
    beside = _Beside(released(dive), cells)
    changed = {exercise_id for exercise_id, place in beside.answers.items() if not beside.places[place].unchanged}
    return len(changed)


@dataclass(slots=True)
class _Place:
    """A code cell of the student's, the one that was handed out for it, and what part it plays."""

    cell: Cell
    ours: Cell | None = None
    role: str = ""
    exercise: str = ""
    label: str = ""
    names: Names = field(default_factory=lambda: Names(frozenset(), frozenset()))

    @property
    def unchanged(self) -> bool:
        return self.ours is not None and _same(self.cell, self.ours)


class _Beside:
    def __init__(self, ours: Released, cells: Sequence[Cell]) -> None:
        self._ours = ours
        self._cells = cells
        self.places = [_Place(cell) for cell in cells if cell.kind == "code"]
        self.remarks: list[str] = []
        self._match()
        self._label()
        known = _names(ours.dive)
        for place in self.places:
            # What was handed out is the same in every notebook of a class.
            place.names = known[place.ours.id] if place.ours and place.unchanged else needs.names(place.cell.source)
        #: The place in which each exercise is answered; of several the last, as in the notebook.
        self.answers: dict[str, int] = {}
        self._find_answers()

    # Which cell is which

    def _match(self) -> None:
        ours = {cell.id: cell for cell in self._ours.cells if cell.kind == "code"}
        for place in self.places:
            place.ours = ours.get(place.cell.id) if place.cell.id else None
        taken = {place.ours.id for place in self.places if place.ours}
        by_tags = [place for place in self.places if not place.ours and self._by_tags(place)]
        taken |= {place.ours.id for place in by_tags if place.ours}
        by_source = 0
        for place in self.places:
            if place.ours is None:
                same = (cell for cell in ours.values() if cell.id not in taken and _same(cell, place.cell))
                place.ours = next(same, None)
                if place.ours:
                    taken.add(place.ours.id)
                    by_source += 1
        if count := by_source + len(by_tags):
            what = "1 cell has another id" if count == 1 else f"{count} cells have other ids"
            self._remark(f"{what} than was handed out: known by tags or text")
        for place in self.places:
            place.role, place.exercise = role_of(place.ours or place.cell)
            told = role_of(place.cell)
            if place.ours and told != (place.role, place.exercise) and all(told):
                self._remark(f"cell {place.ours.id} is tagged as {' '.join(told)}: taken for what its id says")

    def _by_tags(self, place: _Place) -> bool:
        role, exercise_id = role_of(place.cell)
        place.ours = self._ours.cell_of(role, exercise_id) if role and (exercise_id or role == "setup") else None
        return place.ours is not None

    def _label(self) -> None:
        counts = Counter(place.cell.id for place in self.places)
        for place in self.places:
            number = f"number {place.cell.number}"
            cell_id = place.cell.id
            place.label = (
                cell_id if cell_id and counts[cell_id] == 1 else f"{cell_id} ({number})" if cell_id else number
            )

    def _find_answers(self) -> None:
        for exercise_id in (each for each in IDS if each.startswith(str(self._ours.dive))):
            found = [
                n for n, place in enumerate(self.places) if (place.role, place.exercise) == ("answer", exercise_id)
            ]
            if len(found) > 1:
                self._remark(f"{exercise_id} has {len(found)} answer cells: all are run, the last one counts")
            if not found:
                found = self._by_names(exercise_id)
            if found:
                self.answers[exercise_id] = found[-1]
            if not found and self._ours.cell_of("answer", exercise_id):
                self._missing(exercise_id)

    def _by_names(self, exercise_id: str) -> list[int]:
        """Where the names of an exercise are bound whose answer cell is gone: in cells that are the student's."""
        wanted = {name.name for name in exercise(exercise_id).names}
        found = [
            number
            for number, place in enumerate(self.places)
            if not place.unchanged and place.role in ("", "setup") and place.names.binds & wanted
        ]
        for number in found[-1:]:
            place = self.places[number]
            place.role, place.exercise = "answer", exercise_id
            self._remark(f"the answer cell of {exercise_id} is known by its names alone: cell {place.label}")
        return found

    def _missing(self, exercise_id: str) -> None:
        shown = self._ours.cell_of("answer", exercise_id)
        other = next((cell for cell in self._cells if shown and cell.id == shown.id), None)
        if other:
            self._remark(f"the answer cell of {exercise_id} is a {other.kind} cell now: not run")
        else:
            self._remark(f"the answer cell of {exercise_id} is missing")

    # What to run

    def plan(self) -> Plan:
        run = {number for number, place in enumerate(self.places) if self._always(place)}
        run, setup = self._with_what_they_need(run)
        predicted = self._predicted()
        told: list[tuple[str, str]] = []
        first = self._ours.cell_of("setup", "")
        if setup and first and not any(place.ours is first and place.unchanged for place in self.places):
            told.append((f"{first.id} as handed out", first.source))
        for number, place in enumerate(self.places):
            if number in run:
                source = place.cell.source
                if place.ours and place.role == "":
                    source = needs.without_uses(source, predicted)
                told.append((place.label, source))
        self._tell_of_changes()
        answers = {exercise_id: self.places[number].label for exercise_id, number in self.answers.items()}
        return Plan(self._ours.dive, tuple(told), answers, tuple(self.remarks))

    def _always(self, place: _Place) -> bool:
        if place.role in _NEVER or "check" in place.cell.tags or "predict" in place.cell.tags:
            return place.role == "answer"
        if place.role == "answer" or (place.role == "setup" and not place.unchanged):
            return True
        return place.ours is None and not (needs.called(place.cell.source) or {""}) <= _FORMATIVE

    def _with_what_they_need(self, run: set[int]) -> tuple[set[int], bool]:
        """These places and those that bind what they need, and whether the setup cell is among what is needed."""
        run, queue = set(run), sorted(run)
        # A changed setup cell has the one that was handed out before it.
        setup = any(self.places[number].role == "setup" for number in run)
        ours = self._ours.cell_of("setup", "")
        start = _names(self._ours.dive)[ours.id].binds if ours else frozenset()
        while queue:
            number = queue.pop()
            unspelt = self.places[number].names.unspelt
            for name in sorted(self.places[number].names.needs):
                binder = self._binder(name, number)
                if binder is not None and binder not in run:
                    run.add(binder)
                    queue.append(binder)
                setup = setup or (binder is None and name in start)
            if unspelt and (place := self._setup()) is not None and place not in run:
                run.add(place)
                queue.append(place)
            setup = setup or unspelt
        return run, setup

    def _setup(self) -> int | None:
        return next((number for number, place in enumerate(self.places) if place.role == "setup"), None)

    def _binder(self, name: str, user: int) -> int | None:
        """The place that binds a name for the one that uses it: the nearest above, else the nearest below."""
        binders = [
            number
            for number, place in enumerate(self.places)
            if number != user and place.role not in _NEVER and name in place.names.binds
        ]
        above = [number for number in binders if number < user]
        return above[-1] if above else next(iter(binders), None)

    def _predicted(self) -> frozenset[str]:
        """The names that only cells bind which are never run: a comparison with a prediction needs them."""
        never = {name for place in self.places if place.role == "predict" for name in place.names.binds}
        known = _names(self._ours.dive)
        never |= {name for cell in self._ours.cells if "predict" in cell.tags for name in known[cell.id].binds}
        return frozenset(
            never - {name for place in self.places if place.role not in _NEVER for name in place.names.binds}
        )

    # What to tell

    def _tell_of_changes(self) -> None:
        for words, places in (
            ("changed setup cell: run after the one that was handed out", list(self._changed("setup"))),
            ("changed check cell, not run", list(self._changed("check"))),
            ("changed", list(self._changed(""))),
        ):
            if places:
                self._remark(f"{words}: {_listed(places)}")
        there = {place.ours.id for place in self.places if place.ours}
        gone = [c.id for c in self._ours.cells if c.kind == "code" and c.id not in there and role_of(c)[0] != "answer"]
        if gone:
            self._remark(f"not in the notebook any more: {_listed(gone)}")
        own = [place for place in self.places if place.ours is None]
        foreign = [place.label for place in own if place.exercise and place.exercise[0] != str(self._ours.dive)]
        if foreign:
            self._remark(f"of another dive, and not graded here: {_listed(foreign)}")
        twice = Counter(place.ours.id for place in self.places if place.ours and place.role != "answer")
        if doubled := [cell_id for cell_id, count in twice.items() if count > 1]:
            self._remark(f"there more than once: {_listed(doubled)}")
        for exercise_id, number in self.answers.items():
            wanted = {name.name for name in exercise(exercise_id).names}
            below = [p.label for p in self.places[number + 1 :] if self._always(p) and p.names.binds & wanted]
            if below:
                self._remark(f"what {exercise_id} asks for is bound again below its answer cell: {_listed(below)}")

    def _changed(self, role: str) -> Iterator[str]:
        return (p.label for p in self.places if p.ours and p.role == role and not p.unchanged)

    def _remark(self, words: str) -> None:
        self.remarks.append(f"dive {self._ours.dive}: {words}")


@cache
def _names(dive: int) -> dict[str, Names]:
    """The names of the code cells that were handed out, by id."""
    return {cell.id: needs.names(cell.source) for cell in released(dive).cells if cell.kind == "code"}


def _same(one: Cell, other: Cell) -> bool:
    """Whether two cells hold the same, blanks at the ends of lines aside."""
    return [line.rstrip() for line in one.source.strip().split("\n")] == [
        line.rstrip() for line in other.source.strip().split("\n")
    ]


def _listed(labels: Sequence[str]) -> str:
    more = len(labels) - _MOST_TOLD
    return ", ".join(labels[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")
