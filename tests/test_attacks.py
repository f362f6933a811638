"""Submissions that attack the grading: each gains nothing, reads nothing, leaves nothing, and is reported in words.

A file of `tests/attacks/` is the content of an answer cell. Its docstring says what it tries and, line by line, what
must come of it: the exercise that it answers, the status, the points, how the message begins (`*` for any), what came
(`came:`) and a remark (`remark:`) where there is one. `limit:` and `exercise_limit:` shorten the limits, in seconds, so
that the suite is quick. Before, between and after them an honest student sits in the same room and has full points.
"""

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from echomq_lab.checks.exercises import exercise
from echomq_lab.checks.judge import judge
from echomq_lab.checks.verdict import Status
from echomq_lab.grading import grade as grading
from echomq_lab.grading import pupil, server, store
from echomq_lab.grading.grade import Plan, grade
from echomq_lab.grading.graded import Graded
from echomq_lab.grading.room import Room
from tests.grading_room import a_room, descendants, soon

HERE = Path(__file__).parent
#: The attacks look for these two texts, which they hold written backwards.
SEED, SAID_BY_THE_NEIGHBOUR = "Secret-Seed", "said-by-the-neighbour"
HONEST = ("1.2", "1.3", "1.4")


@dataclass(frozen=True)
class Attack:
    name: str
    code: str
    told: dict[str, str]


def read(path: Path) -> Attack:
    code = path.read_text("utf-8")
    docstring = ast.get_docstring(ast.parse(code)) or ""
    keys = "exercise|status|earned|says|came|remark|limit|exercise_limit"
    return Attack(path.stem, code, dict(re.findall(rf"^({keys}): (.*)$", docstring, re.MULTILINE)))


ALL = [read(path) for path in sorted((HERE / "attacks").glob("*.py"))]


def handed_in(code: dict[str, str], room: Room) -> Graded:
    """A submission of answers to exercises of one dive, graded."""
    cells = tuple((f"answer {each}" if len(code) > 1 else "answer", text) for each, text in code.items())
    answers = dict(zip(code, (cell_id for cell_id, _ in cells), strict=True))
    dive = int(next(iter(code))[0])
    return grade("student", "submission", "hash", {dive: Plan(dive, cells, answers)}, (), room, SEED)


def honest(room: Room) -> Graded:
    """An honest student's submission, with all points for what it has."""
    code = {each: sorted((HERE / "answers" / each).glob("right_*.py"))[0].read_text("utf-8") for each in HONEST}
    code["1.2"] += f"\n# {SAID_BY_THE_NEIGHBOUR}\nmine = {SAID_BY_THE_NEIGHBOUR!r}\n"
    return handed_in(code, room)


@pytest.fixture(scope="module")
def room() -> Iterator[Room]:
    """One room for all, in which an honest student sits before and after."""
    with a_room() as room:
        before = honest(room)
        assert before.total == sum(exercise(each).points for each in HONEST), before.to_json()
        alone = descendants(os.getpid()).keys()
        yield room
        after = honest(room)
        assert after.to_json() == before.to_json()
        assert soon(lambda: not descendants(os.getpid()).keys() - alone), descendants(os.getpid())


@pytest.fixture
def alone(room: Room) -> Iterator[None]:
    """Nothing runs after the test that did not run before it, and the next student is safe."""
    before = descendants(os.getpid()).keys()
    yield
    assert soon(lambda: not descendants(os.getpid()).keys() - before), descendants(os.getpid())
    with room.seat() as neighbour:
        neighbour.cells([("answer", "def next_interval(prev_ms, every_ms):\n    return prev_ms + every_ms")])
        verdict = judge(exercise("1.2"), neighbour, seed=SEED)
    assert verdict.status is Status.RIGHT, verdict


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name)
def test_each_attack_comes_to_nothing(attack: Attack, room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    told = attack.told
    if "limit" in told:
        for place, name in ((pupil, "LIMIT_S"), (pupil, "CELLS_S"), (store, "LIMIT_S"), (store, "SCRIPT_S")):
            monkeypatch.setattr(place, name, float(told["limit"]))
        monkeypatch.setattr(server, "SCRIPT_S", float(told["limit"]))
    if "exercise_limit" in told:
        monkeypatch.setattr(pupil, "EXERCISE_S", float(told["exercise_limit"]))
    graded = handed_in({told["exercise"]: attack.code}, room)
    (verdict,) = [each for each in graded.verdicts if each.exercise == told["exercise"]]
    seen = f"{verdict}\n{graded.remarks}"
    assert (verdict.status, verdict.earned) == (Status(told["status"]), int(told["earned"])), seen
    assert graded.total == verdict.earned
    if verdict.status is not Status.RIGHT:
        assert verdict.failure is not None
        assert verdict.failure.says.startswith(told["says"].replace("*", "")), seen
        assert verdict.failure.came.startswith(told.get("came", "")), seen
    assert told.get("remark", "") in "\n".join(graded.remarks), seen
    result = graded.to_json()
    assert SEED not in result
    assert SAID_BY_THE_NEIGHBOUR not in result
    assert re.search("[\x00-\x09\x0b-\x1f\x7f]", result) is None
    assert len(result) < 100_000


@pytest.mark.usefixtures("alone")
def test_what_a_cell_hangs_in_costs_that_cell_alone(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pupil, "CELLS_S", 2.0)
    right = "def next_interval(prev_ms, every_ms):\n    return prev_ms + every_ms"
    ends = "import os\nos._exit(1)"
    cells = (("a", "while True: pass"), ("b", ends), ("ex-1-2", right), ("c", "1 / 0"), ("ex-1-3", ends))
    plans = {1: Plan(1, cells, {"1.2": "ex-1-2", "1.3": "ex-1-3"})}
    graded = grade("student", "submission", "hash", plans, (), room, SEED)
    by_id = {each.exercise: each for each in graded.verdicts}
    assert by_id["1.2"].status is Status.TIMED_OUT or by_id["1.2"].status is Status.CRASHED
    assert by_id["1.4"].status is Status.NOT_ANSWERED
    assert any("too many cells hang or end the process" in each for each in graded.remarks)
    two = {1: Plan(1, cells[1:], {"1.2": "ex-1-2", "1.3": "ex-1-3"})}
    graded = grade("student", "submission", "hash", two, (), room, SEED)
    by_id = {each.exercise: each for each in graded.verdicts}
    assert by_id["1.2"].status is Status.RIGHT
    assert by_id["1.3"].status is Status.CRASHED
    assert "cell c raised ZeroDivisionError: division by zero" in graded.remarks


@pytest.mark.usefixtures("alone")
def test_remarks_come_to_an_end(room: Room) -> None:
    cells = tuple((f"cell-{number}", f"raise ValueError('{'x' * 5_000}')") for number in range(200))
    graded = grade("student", "submission", "hash", {1: Plan(1, cells, {"1.2": "cell-0"})}, (), room, SEED)
    assert graded.remarks[-1] == "and 140 remarks more"
    assert len(graded.to_json()) < 100_000


@pytest.mark.usefixtures("alone")
def test_a_submission_that_takes_too_long_is_left(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "SUBMISSION_S", -1.0)
    graded = handed_in({"1.2": "def next_interval(prev_ms, every_ms):\n    return prev_ms + every_ms"}, room)
    (verdict,) = [each for each in graded.verdicts if each.exercise == "1.2"]
    assert verdict.status is Status.TIMED_OUT


@pytest.mark.usefixtures("alone")
def test_a_check_that_goes_wrong_costs_that_exercise_alone(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(asked: object, *_: object, **__: object) -> object:
        raise ZeroDivisionError("as a student made it")

    monkeypatch.setattr(grading, "judge", stumble)
    graded = handed_in({"1.2": "next_interval = 1"}, room)
    (verdict,) = [each for each in graded.verdicts if each.exercise == "1.2"]
    assert (verdict.status, verdict.earned) == (Status.UNGRADED, 0)
    assert "exercise 1.2: the check itself went wrong (ZeroDivisionError: as a student made it)" in graded.remarks


def test_there_are_enough_attacks_and_each_says_what_it_tries() -> None:
    assert len(ALL) >= 40
    for attack in ALL:
        assert {"exercise", "status", "earned"} <= set(attack.told), attack.name
