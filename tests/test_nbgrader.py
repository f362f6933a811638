"""What nbgrader sees: its metadata on the cells, a plain float in its kernels, and the points that `grade` gives."""

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from echomq_lab.checks import check, notebook
from echomq_lab.checks.exercises import IDS, exercise
from echomq_lab.checks.verdict import Verdict
from echomq_lab.cli import main
from echomq_lab.grading.graded import from_json
from tests import class_folder, nbgrader_course

ANSWER = {"grade": False, "locked": False, "schema_version": 3, "solution": True, "task": False}
CHECK = {"grade": True, "locked": True, "schema_version": 3, "solution": False, "task": False}

KERNEL = """
import sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for source in sys.argv[1:]:
    shell.run_cell(source, store_history=True)
print(repr(shell.user_ns.get("_")))
"""


@pytest.mark.parametrize("number", IDS)
def test_an_exercise_is_an_answer_to_write_and_a_check_that_gives_its_points(number: str) -> None:
    path = nbgrader_course.PROJECT / "notebooks" / class_folder.name(int(number[0]))
    cells = nbformat.read(path, as_version=4).cells
    found = {
        cell.id: cell.metadata.nbgrader
        for cell in cells
        if number in cell.metadata.get("tags", []) and "nbgrader" in cell.metadata
    }
    name = f"ex-{number.replace('.', '-')}"
    assert found == {
        f"{name}-answer": ANSWER | {"grade_id": f"{name}-answer"},
        f"{name}-check": CHECK | {"grade_id": f"{name}-check", "points": exercise(number).points},
    }


ANSWERS = [
    ("1.2", "def next_interval(prev_ms, every_ms):\n    return prev_ms + every_ms", 4.0),
    ("1.2", "def next_interval(prev_ms, every_ms): ...", 0.0),
    ("3.1", (class_folder.ANSWERS / "3.1" / "wrong_finish_for_both.py").read_text("utf-8"), 2.0),
]


@pytest.mark.parametrize(("number", "answer", "earned"), ANSWERS)
@pytest.mark.parametrize("execution", ["autograde", "validate"])
def test_where_nbgrader_runs_a_check_answers_the_points_and_shows_the_verdict(
    number: str,
    answer: str,
    earned: float,
    execution: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = {"check": check}
    exec(answer, names)
    verdict = eval(f"check({number!r})", names)
    assert isinstance(verdict, Verdict)
    assert capsys.readouterr().out == ""
    monkeypatch.setenv(notebook._NBGRADER, execution)
    found = eval(f"check({number!r})", names)
    assert (type(found), found) == (float, earned)
    assert verdict.headline() in capsys.readouterr().out


@pytest.mark.parametrize(("number", "answer", "earned"), ANSWERS)
def test_a_graded_cell_ends_in_a_float_and_writes_nothing_to_stderr(
    number: str, answer: str, earned: float, tmp_path: Path
) -> None:
    told = subprocess.run(
        [sys.executable, "-c", KERNEL, "from echomq_lab.checks import check", answer, f"check({number!r})"],
        env=os.environ | {notebook._NBGRADER: "autograde", "IPYTHONDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.splitlines()[-1] == repr(earned)
    assert told.stderr == ""


def test_the_documentation_names_what_keeps_the_stubs() -> None:
    told = (nbgrader_course.PROJECT / "docs" / "instructors.md").read_text("utf-8")
    command = f"nbgrader generate_assignment {nbgrader_course.ASSIGNMENT} {nbgrader_course.KEEP_STUBS}"
    assert command in told


@pytest.mark.soak
def test_nbgrader_and_grade_give_the_same_points(tmp_path: Path) -> None:
    try:
        nbgrader_course.python()
    except nbgrader_course.NoEnvironmentError as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(str(error))
    course = tmp_path / "course"
    nbgrader_course.begin(course)
    nbgrader_course.nbgrader(course, "generate_assignment", nbgrader_course.ASSIGNMENT, nbgrader_course.KEEP_STUBS)
    for path in (course / "source" / nbgrader_course.ASSIGNMENT).iterdir():
        shipped, released = (
            [(cell["id"], cell["source"]) for cell in json.loads(each.read_text("utf-8"))["cells"]]
            for each in (path, course / "release" / nbgrader_course.ASSIGNMENT / path.name)
        )
        assert released == shipped
    nbgrader_course.hand_in(course)
    nbgrader_course.nbgrader(course, "autograde", nbgrader_course.ASSIGNMENT)
    theirs = nbgrader_course.points(course)
    (tmp_path / "seed").write_text(class_folder.SEED)
    grade = ["grade", str(course / "submitted"), "--out", str(tmp_path / "out")]
    assert main([*grade, "--seed-file", str(tmp_path / "seed")]) == 0
    results = [from_json(path.read_text("utf-8")) for path in (tmp_path / "out" / "results").iterdir()]
    ours = {each.student: {verdict.exercise: verdict.earned for verdict in each.verdicts} for each in results}
    assert theirs == ours
    assert {student: sum(scores.values()) for student, scores in ours.items()} == {
        "blank": 0,
        "half": 40,
        "solved": 100,
    }
