"""The judge of an exercise: every test on every store, the first failure told, its counter-example made small.

    judge(exercise, pupil, seed="public", stores=(FAKEREDIS,))

The student's side answers as a `Pupil`, in a process of its own; what is expected is worked out here, by the library.

Source: exercises, "What a check is"; grading, "Two places, one set of checks".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from echomq_lab.checks.desk import Desk, Raised
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.checks.pupil import Pupil, SilenceError
from echomq_lab.checks.verdict import Failure, Status, Verdict
from echomq_lab.errors import StoreError
from echomq_lab.store import FAKEREDIS

#: The seed that students run with. A mark is made with another one.
PUBLIC = "public"


def judge(
    exercise: Exercise,
    pupil: Pupil,
    *,
    seed: str = PUBLIC,
    rounds: int = 1,
    stores: Sequence[str] = (FAKEREDIS,),
) -> Verdict:
    """Try the answers to an exercise, and say what they earn and where they first fail.

    The same seed asks the same questions, in so many rounds of fresh ones. `stores` are URLs; what runs on stores has
    to be right on each of them, and where no store can be had the verdict says so.
    """
    return _Judge(exercise, pupil, seed, rounds, stores).verdict()


class _Judge:
    def __init__(self, exercise: Exercise, pupil: Pupil, seed: str, rounds: int, stores: Sequence[str]) -> None:
        self._exercise, self._pupil, self._seed, self._rounds = exercise, pupil, seed, rounds
        self._stores = stores

    def verdict(self) -> Verdict:
        try:
            self._pupil.ask({"do": "hide", "what": list(self._exercise.hides)})
            names = [name.name for name in self._exercise.names]
            stands = dict(zip(names, self._pupil.ask({"do": "names", "names": names})["names"], strict=True))
        except SilenceError as silence:
            return self._verdict(_STATUS[silence.why], {}, _silent(silence))
        missing = [name for name in names if stands[name]["kind"] in ("missing", "unanswered")]
        if len(missing) == len(names):
            return self._verdict(Status.NOT_ANSWERED, {}, _unanswered(missing, stands))
        faults = {name: _unanswered(missing, stands) for name in missing}
        for name in self._exercise.names:
            if name.name not in missing and (fault := _misfit(name, stands[name.name])):
                faults[name.name] = fault
        return self._tried(faults)

    def _tried(self, faults: dict[str, Failure]) -> Verdict:
        """Try each test, but for those that need a name which cannot be looked at: they fail with its fault."""
        passed: dict[str, bool] = {}
        first: Failure | _Failing | None = None
        status = Status.WRONG
        for test in self._exercise.tests:
            needs = test.of or tuple(name.name for name in self._exercise.names)
            failure: Failure | _Failing | None = next((faults[name] for name in needs if name in faults), None)
            if failure is None:
                try:
                    failure = self._failing(test)
                except SilenceError as silence:
                    if first is None:
                        first, status = _silent(silence, test), _STATUS[silence.why]
                    break
                except StoreError as error:
                    return self._verdict(Status.UNGRADED, {}, _ungraded(error))
            passed[test.id] = failure is None
            first = first or failure
        if first is None:
            return self._verdict(Status.RIGHT, passed, None)
        # Only now, and for one test: to look for a small counter-example takes more questions than all the rest.
        return self._verdict(status, passed, first.told() if isinstance(first, _Failing) else first)

    def _verdict(self, status: Status, passed: dict[str, bool], failure: Failure | None) -> Verdict:
        tests = tuple((test.id, test.points, passed.get(test.id, False)) for test in self._exercise.tests)
        return Verdict(self._exercise.id, self._exercise.title, status, tests, failure)

    def _failing(self, test: Test[Any, Any]) -> _Failing | None:
        """How a test fails on the first store where it does, or None."""
        rounds = range(self._rounds)
        name = f"{self._seed}/{self._exercise.id}/{test.id}"
        draws = [Random(f"{name}/{number}" if number else name) for number in rounds]
        cases = [case for draw in draws for case in test.cases(draw)]
        for store in self._stores if test.on_store else (FAKEREDIS,):
            desk = Desk(self._pupil, store)
            failing = [tried for case in cases if (tried := _tried(test, desk, case))]
            if failing:
                return _Failing(test, desk, failing)
        return None


#: A case, what was heard, and why that is wrong.
Tried = tuple[Any, Any, Wrong]


@dataclass(frozen=True, slots=True)
class _Failing:
    """A test that fails, on the desk's store, and the cases in which it does."""

    test: Test[Any, Any]
    desk: Desk
    failing: list[Tried]

    def told(self) -> Failure:
        test, failing = self.test, self.failing
        raised = [heard.errors[0] for _, heard, _ in failing if heard.errors]
        mistake = None if raised else _recognised(test, failing)
        _, _, wrong = _smallest(test, self.desk, failing[0], mistake)
        return Failure(
            test.id,
            mistake.id if mistake else "raises" if raised else None,
            mistake.says if mistake else _stopped(raised[0]) if raised else test.says,
            wrong.given,
            wrong.came,
            wrong.expected,
            f"Run that call in a cell of its own, and mend what it says. {test.next}" if raised else test.next,
            self.desk.store if test.on_store else "",
            wrong.marks,
        )


def _tried(test: Test[Any, Any], desk: Desk, case: Any) -> Tried | None:
    """The case, what was heard and why that is wrong; None where it is right."""
    try:
        heard = test.ask(desk, case)
    except SilenceError as silence:
        silence.given = test.given(case)
        raise
    if errors := heard.errors:
        return case, heard, Wrong(test.given(case), str(errors[0]), "an answer")
    wrong = test.judge(case, heard)
    return None if wrong is None else (case, heard, wrong)


def _stopped(error: Raised) -> str:
    return f"Your answer stopped: {error.words}." if error.lab else "Your answer stopped with an error."


def _recognised(test: Test[Any, Any], failing: list[Tried]) -> Mistake[Any, Any] | None:
    """The mistake that every failing case shows."""
    return next(
        (each for each in test.mistakes if all(each.shows(case, heard) for case, heard, _ in failing)),
        None,
    )


def _smallest(test: Test[Any, Any], desk: Desk, tried: Tried, mistake: Mistake[Any, Any] | None) -> Tried:
    """A failing case of which no simpler one fails in the same way, within the test's number of tries."""
    left = test.tries
    smaller = True
    while smaller:
        smaller = False
        for case in test.simpler(tried[0]):
            if left == 0:
                return tried
            left -= 1
            try:
                again = _tried(test, desk, case)
            except SilenceError:
                return tried
            if again and bool(again[1].errors) == bool(tried[1].errors):
                if mistake and not mistake.shows(case, again[1]):
                    continue
                tried, smaller = again, True
                break
    return tried


def _misfit(name: Name, stands: dict[str, Any]) -> Failure | None:
    """What is wrong with the kind of what stands under a name."""
    if name.takes:
        count = name.arguments
        if stands["kind"] != "function":
            says = f"{name.name} must be a function that takes {name.takes}; it is {_article(stands['type'])}."
            return _frame("kind", says, stands["shown"], f"def {name.name}{name.takes}: ...")
        if ("most" in stands and not stands["least"] <= count <= stands["most"]) or stands.get("least") == -1:
            says = f"{name.name} must take {name.takes}, {_arguments(count)}; it takes {stands['takes']}."
            return _frame("arity", says, f"{name.name}{stands['takes']}", f"{name.name}{name.takes}")
        return None
    if stands["kind"] == "function" or (name.type and stands["type"] != name.type):
        says = f"{name.name} must be {name.kind}; it is {_article(stands['type'])}."
        return _frame("kind", says, stands["shown"], name.kind)
    return None


def _frame(test: str, says: str, came: str, expected: str) -> Failure:
    return Failure(test, None, says, "", came, expected, "Look at what the answer cell asked for, and in which form.")


def _unanswered(names: list[str], stands: dict[str, Any]) -> Failure:
    gone = [name for name in names if stands[name]["kind"] == "missing"]
    which = " and ".join(names)
    if gone:
        says = f"There is no {' and no '.join(gone)} here yet: run the answer cell."
        step = "If the cell is gone, `echomq-lab reset` with the notebook's number brings a fresh copy and keeps yours."
    else:
        says = f"{which} {'is' if len(names) == 1 else 'are'} still as shipped: write your answer in place of `...`."
        step = "Then run the answer cell, and this check again."
    return Failure("present", None, says, "", "", "", step)


def _silent(silence: SilenceError, test: Test[Any, Any] | None = None) -> Failure:
    says = f"Your answer was stopped: {silence}"
    step = "Try the call in a cell of its own with small numbers, and interrupt the kernel if it does not end."
    return Failure(test.id if test else "present", silence.why, says, silence.given, "", "", step)


def _ungraded(error: StoreError) -> Failure:
    return Failure("store", None, f"No store could be had to try the answer on: {error}", "", "", "", "Grade it again.")


_STATUS = {"late": Status.TIMED_OUT, "ended": Status.CRASHED}


def _arguments(count: int) -> str:
    return f"{count} argument{'' if count == 1 else 's'}"


def _article(kind: str) -> str:
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"
