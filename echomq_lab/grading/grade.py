"""One submission graded: its cells run in seats of the room, each exercise judged, whatever it does.

A notebook is run in a seat of its own. A cell that does not end, or ends the process, costs that cell: the notebook is
run once more without it, in another seat. An exercise that does so costs that exercise.

Source: grading, "Design", 1 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version

from echomq_lab.checks.exercise import Exercise
from echomq_lab.checks.exercises import IDS, exercise
from echomq_lab.checks.judge import judge
from echomq_lab.checks.pupil import SilenceError
from echomq_lab.checks.verdict import Failure, Status, Verdict
from echomq_lab.grading.graded import Graded, fingerprint
from echomq_lab.grading.pupil import SeatedPupil
from echomq_lab.grading.room import Room
from echomq_lab.grading.store import Store
from echomq_lab.store import VALKEY

#: Rounds of cases that a mark is made with; a student's own check asks one.
ROUNDS = 3
#: So many cells of one notebook may hang or crash; then the rest of it is not run any more.
MOST_STOPPED = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """What of one notebook is to be run, in order: (cell id, source); and what is to be remarked about it.

    `answers` names the cell in which each exercise of the dive is answered; an exercise that is not among them has no
    answer cell.
    """

    dive: int
    cells: tuple[tuple[str, str], ...]
    answers: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def grade(
    student: str, submission: str, content: str, plans: dict[int, Plan], remarks: tuple[str, ...], room: Room, seed: str
) -> Graded:
    """Grade the notebooks of one submission, by dive; an exercise without a notebook is not answered."""
    told, verdicts = list(remarks), []
    for dive in sorted({int(each[0]) for each in IDS}):
        asked = [exercise(each) for each in IDS if each.startswith(str(dive))]
        if dive in plans:
            notebook = _Notebook(plans[dive], room, seed)
            verdicts += [notebook.verdict(each) for each in asked]
            told += notebook.remarks
            notebook.close()
        else:
            verdicts += [_unanswered(each, "The notebook of this exercise was not handed in.") for each in asked]
    return Graded(
        student,
        submission,
        content,
        tuple(verdicts),
        tuple(told),
        version("echomq-lab"),
        fingerprint(seed),
        room.walls,
    )


class _Notebook:
    """One notebook being graded: a seat in which its cells have run, taken anew when somebody fell silent in it."""

    def __init__(self, plan: Plan, room: Room, seed: str) -> None:
        self._plan, self._room, self._seed = plan, room, seed
        self.remarks = list(plan.remarks)
        self._stopped: dict[str, SilenceError] = {}
        self._store = Store(self._seated)
        self._pupil: SeatedPupil | None = None
        self._ran = False

    def close(self) -> None:
        if self._pupil is not None:
            self._pupil.__exit__(None, None, None)
            self._pupil = None
        self._store.close()

    def verdict(self, asked: Exercise) -> Verdict:
        """Judge one exercise."""
        cell = self._plan.answers.get(asked.id)
        if cell is None:
            return _unanswered(asked, "The answer cell of this exercise is not in the notebook.")
        if self._pupil is None:
            self._pupil = self._seated()
        if cell in self._stopped:
            return _stopped(asked, self._stopped[cell])
        verdict = judge(asked, self._pupil, seed=self._seed, rounds=ROUNDS, stores=(VALKEY,))
        if verdict.status in (Status.TIMED_OUT, Status.CRASHED) or self._pupil.silent:
            self._pupil.__exit__(None, None, None)
            self._pupil = None
        return verdict

    def _seated(self) -> SeatedPupil:
        """A seat in which the cells have run, all but those that hang or crash."""
        while True:
            pupil = self._room.seat(self._store)
            try:
                for cell_id, source in self._plan.cells:
                    if cell_id not in self._stopped:
                        self._run(pupil, cell_id, source)
            except SilenceError as silence:
                self._stopped[cell_id] = silence
                self.remarks.append(f"cell {cell_id} was stopped: {silence}")
                pupil.__exit__(None, None, None)
                if len(self._stopped) >= MOST_STOPPED:
                    self._give_up(silence)
                continue
            self._ran = True
            return pupil

    def _run(self, pupil: SeatedPupil, cell_id: str, source: str) -> None:
        for told in pupil.cells([(cell_id, source)]):
            if self._ran:
                continue
            self.remarks += [f"cell {cell_id}: not run, since it is IPython's: {line}" for line in told["skipped"]]
            if raised := told["raised"]:
                self.remarks.append(f"cell {cell_id} raised {raised['type']}: {raised['words']}")

    def _give_up(self, silence: SilenceError) -> None:
        """Run none of the cells any more."""
        self.remarks.append(f"{MOST_STOPPED} cells hang or end the process: the rest of the notebook was not run")
        self._stopped |= {cell_id: silence for cell_id, _ in self._plan.cells if cell_id not in self._stopped}


def _unanswered(asked: Exercise, says: str) -> Verdict:
    return _without(
        asked, Status.NOT_ANSWERED, Failure("present", None, says, "", "", "", "Hand the whole notebook in.")
    )


def _stopped(asked: Exercise, silence: SilenceError) -> Verdict:
    says = f"The answer cell was stopped: {silence}"
    failure = Failure("present", silence.why, says, "", "", "", "Run the cell by itself: it must end.")
    return _without(asked, Status.TIMED_OUT if silence.why == "late" else Status.CRASHED, failure)


def _without(asked: Exercise, status: Status, failure: Failure) -> Verdict:
    tests = tuple((test.id, test.points, False) for test in asked.tests)
    return Verdict(asked.id, asked.title, status, tests, failure)
