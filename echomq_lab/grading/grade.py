"""One submission graded: its cells run in seats of the room, each exercise judged, whatever it does.

A notebook is run in a seat of its own. A cell that does not end, or ends the process, costs that cell: the notebook is
run once more without it, in another seat. An exercise that does so costs that exercise. Where cells below an exercise
use one of its names for something else, it is tried in a seat without them, as a check in the notebook would be. All
notebooks share one store.

Source: grading, "Design", 1 and 4.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version

from echomq_lab.checks.exercise import Exercise
from echomq_lab.checks.exercises import IDS, exercise
from echomq_lab.checks.judge import judge
from echomq_lab.checks.pupil import SilenceError
from echomq_lab.checks.verdict import Failure, Status, Verdict
from echomq_lab.errors import StoreError
from echomq_lab.grading import needs
from echomq_lab.grading.graded import Graded, fingerprint
from echomq_lab.grading.pupil import SeatedPupil
from echomq_lab.grading.room import IsolationError, Room
from echomq_lab.grading.store import Servers, Store
from echomq_lab.store import VALKEY

#: Rounds of cases that a mark is made with; a student's own check asks one.
ROUNDS = 3
#: So many cells of one notebook may hang or crash; then the rest of it is not run any more.
MOST_STOPPED = 3
#: How long one submission may take, in seconds; what is not graded by then is not graded any more.
SUBMISSION_S = 180.0
#: How many remarks are made, and how long a text of a result may be.
_MOST_REMARKS, _LONGEST = 60, 2_000


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
    """Grade the notebooks of one submission, by dive; an exercise without a notebook is not answered.

    Raises `IsolationError` when nobody can be seated in the room any more.
    """
    told, verdicts = list(remarks), []
    until = time.monotonic() + SUBMISSION_S
    servers = Servers(walls=room.walls)
    if plans:
        with contextlib.suppress(StoreError):  # told by the first exercise that needs it
            servers.start()
    try:
        for dive in sorted({int(each[0]) for each in IDS}):
            asked = [exercise(each) for each in IDS if each.startswith(str(dive))]
            if dive in plans:
                with _Notebook(plans[dive], room, seed, servers, until) as notebook:
                    verdicts += [notebook.verdict(each) for each in asked]
                told += dict.fromkeys(notebook.remarks)
            else:
                verdicts += [_unanswered(each, "The notebook of this exercise was not handed in.") for each in asked]
    finally:
        servers.close()
    return Graded(
        student,
        submission,
        content,
        tuple(map(_shown, verdicts)),
        tuple(_remarks(told)),
        version("echomq-lab"),
        fingerprint(seed),
        room.walls,
    )


class _Notebook:
    """One notebook being graded: a seat in which its cells have run, taken anew when somebody fell silent in it."""

    def __init__(self, plan: Plan, room: Room, seed: str, servers: Servers, until: float) -> None:
        self._plan, self._room, self._seed, self._until = plan, room, seed, until
        self.remarks = list(plan.remarks)
        self._stopped: dict[str, SilenceError] = {}
        self._store = Store(self._seated, servers)
        self._pupil: SeatedPupil | None = None
        self._ran = False
        #: So many of the cells are run.
        self._upto = len(plan.cells)

    def __enter__(self) -> _Notebook:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()
        self._store.close()

    def verdict(self, asked: Exercise) -> Verdict:
        """Judge one exercise."""
        cell = self._plan.answers.get(asked.id)
        if cell is None:
            return _unanswered(asked, "The answer cell of this exercise is not in the notebook.")
        if time.monotonic() > self._until:
            return _stopped(asked, SilenceError("late", f"the submission took more than {SUBMISSION_S:.0f} seconds."))
        if (upto := self._upto_of(cell)) != self._upto:
            self._leave()
            self._upto = upto
        if self._pupil is None:
            self._pupil = self._seated()
        if cell in self._stopped:
            return _stopped(asked, self._stopped[cell])
        try:
            verdict = judge(asked, self._pupil, seed=self._seed, rounds=ROUNDS, stores=(VALKEY,))
        except Exception as error:
            if isinstance(error, IsolationError):
                raise
            # Whatever a student made a check stumble over costs this exercise and nobody else.
            self.remarks.append(f"exercise {asked.id}: the check itself went wrong ({type(error).__name__}: {error})")
            self._leave()
            return _ungraded(asked)
        if verdict.status in (Status.TIMED_OUT, Status.CRASHED) or self._pupil.silent:
            self._leave()
        return verdict

    def _upto_of(self, cell: str) -> int:
        """How many cells an exercise is tried with: all, unless those below the next answer spoil one of its names."""
        labels, every = [label for label, _ in self._plan.cells], len(self._plan.cells)
        if cell not in labels:
            return every
        answers = {labels.index(each) for each in self._plan.answers.values() if each in labels}
        upto = min((each for each in answers if each > labels.index(cell)), default=every)
        return upto if _spoils(self._plan.cells[upto:], self._plan.cells[:upto]) else every

    def _leave(self) -> None:
        if self._pupil is not None:
            self._pupil.__exit__()
            self._pupil = None

    def _seated(self) -> SeatedPupil:
        """A seat in which the cells have run, all but those that hang or crash."""
        while True:
            pupil = self._room.seat(self._store)
            for cell_id, source in self._plan.cells[: self._upto]:
                if cell_id not in self._stopped:
                    try:
                        self._run(pupil, cell_id, source)
                    except SilenceError as silence:
                        self._stop(cell_id, silence)
                        break
            else:
                self._ran = self._ran or self._upto == len(self._plan.cells)
                return pupil
            pupil.__exit__()

    def _run(self, pupil: SeatedPupil, cell_id: str, source: str) -> None:
        for told in pupil.cells([(cell_id, source)]):
            if self._ran:
                continue
            self.remarks += [f"cell {cell_id}: not run, since it is IPython's: {line}" for line in told["skipped"]]
            if raised := told["raised"]:
                self.remarks.append(f"cell {cell_id} raised {raised['type']}: {raised['words']}")

    def _stop(self, cell_id: str, silence: SilenceError) -> None:
        """Do not run a cell again; after too many of them, none."""
        self._stopped[cell_id] = silence
        self.remarks.append(f"cell {cell_id} was stopped: {silence}")
        if len(self._stopped) >= MOST_STOPPED or time.monotonic() > self._until:
            self.remarks.append("too many cells hang or end the process: the rest of the notebook was not run")
            self._stopped |= {each: silence for each, _ in self._plan.cells if each not in self._stopped}


def _spoils(below: Sequence[tuple[str, str]], above: Sequence[tuple[str, str]]) -> bool:
    """Whether cells bind a name anew that those above them bind or need; the same import again is no harm."""
    names = [needs.names(source) for _, source in above]
    held = frozenset().union(*(each.binds | each.needs for each in names))
    imports = frozenset().union(*(needs.imported(source) for _, source in above))
    for _, source in below:
        same = {name for name, what in needs.imported(source) if (name, what) in imports}
        if (needs.names(source).binds - same) & held:
            return True
    return False


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


def _ungraded(asked: Exercise) -> Verdict:
    says = "The check itself went wrong on this answer, which needs a look by eye."
    return _without(asked, Status.UNGRADED, Failure("check", None, says, "", "", "", "Ask whoever grades."))


def _remarks(told: list[str]) -> list[str]:
    more = len(told) - _MOST_REMARKS
    return [printable(each) for each in told[:_MOST_REMARKS]] + ([f"and {more} remarks more"] if more > 0 else [])


def _shown(verdict: Verdict) -> Verdict:
    """The verdict as it can be shown anywhere: its texts may hold what a student wrote."""
    if (failure := verdict.failure) is None:
        return verdict
    says, given, came, expected = map(printable, (failure.says, failure.given, failure.came, failure.expected))
    return replace(verdict, failure=replace(failure, says=says, given=given, came=came, expected=expected))


def printable(text: str) -> str:
    """A text of a length that can be shown, without characters that would do something to a terminal or a page."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return "".join(each if each.isprintable() or each == "\n" else ascii(each)[1:-1] for each in cut)
