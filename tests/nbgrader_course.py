"""A course of nbgrader's: the notebooks as they ship, and three students who hand them in.

nbgrader is no dependency of the lab's and shares no environment with it: one is made where git and ruff do not look,
with nbgrader and what that needs. What the lab needs is read from the environment that runs this.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from echomq_lab.checks.exercises import IDS
from tests import class_folder

PROJECT = Path(__file__).resolve().parent.parent
NBGRADER = "nbgrader==0.9.6"
ASSIGNMENT = "echomq-lab"
#: What keeps the stubs: without it nbgrader puts one of its own in the place of every answer cell.
KEEP_STUBS = "--ClearSolutions.enabled=False"
_FOLDER = PROJECT / "build" / "nbgrader"

#: Wrong answers whose points are the same under any seed.
HALF = {
    "2.4": "wrong_period_still_written",
    "2.5": "wrong_a_set",
    "3.1": "wrong_finish_for_both",
    "3.2": "wrong_no_answer",
    "3.3": "wrong_no_job",
    "3.4": "wrong_swapped",
    "3.5": "wrong_float",
}
#: What each student has in the answer cells, by exercise; the stub where there is nothing.
STUDENTS = {
    "blank": {},
    "half": {each: class_folder.right(each) for each in ("1.1", "1.2", "2.1")}
    | {each: (class_folder.ANSWERS / each / f"{name}.py").read_text("utf-8") for each, name in HALF.items()},
    "solved": {each: class_folder.right(each) for each in IDS},
}

_POINTS = """
import json, sys
from nbgrader.api import Gradebook

with Gradebook("sqlite:///gradebook.db") as book:
    submissions = book.assignment_submissions(sys.argv[1])
    print(json.dumps({
        each.student.id: {grade.cell.name: grade.auto_score for one in each.notebooks for grade in one.grades}
        for each in submissions
    }))
"""


class NoEnvironmentError(Exception):
    """The environment for nbgrader could not be made."""


def python() -> Path:
    """The Python of the environment with nbgrader, which is made where it is not there. Raises `NoEnvironmentError`."""
    found, made = _FOLDER / "bin" / "python", _FOLDER / "made"
    ours = f"{sysconfig.get_path('purelib')}\n{PROJECT}\n"
    if made.is_file() and made.read_text("utf-8") == NBGRADER + ours:
        return found
    shutil.rmtree(_FOLDER, ignore_errors=True)
    venv.create(_FOLDER, with_pip=True)
    pip = [str(found), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", NBGRADER]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
        raise NoEnvironmentError(f"no environment with {NBGRADER}: {said}")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (_FOLDER / "lib" / version / "site-packages" / "the-lab.pth").write_text(ours, "utf-8")
    made.write_text(NBGRADER + ours, "utf-8")
    return found


def begin(course: Path) -> None:
    """A course's folder with the notebooks as they ship in `source`."""
    source = course / "source" / ASSIGNMENT
    source.mkdir(parents=True)
    for dive in (1, 2, 3):
        shutil.copy(PROJECT / "notebooks" / class_folder.name(dive), source)


def hand_in(course: Path) -> None:
    """What the students hand in: the notebooks of `release` with their answers."""
    for student, answers in STUDENTS.items():
        folder = course / "submitted" / student / ASSIGNMENT
        folder.mkdir(parents=True)
        for path in (course / "release" / ASSIGNMENT).glob("*.ipynb"):
            content = json.loads(path.read_text("utf-8"))
            for cell in content["cells"]:
                tags = set(cell["metadata"].get("tags", ()))
                for each in tags & set(answers) if "answer" in tags else ():
                    cell["source"] = answers[each]
            (folder / path.name).write_text(json.dumps(content), "utf-8")


def settings(course: Path) -> dict[str, str]:
    """What nbgrader finds its own commands by, and what keeps it and its kernels from the files of whoever runs it."""
    path = f"{_FOLDER / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    return {"PATH": path} | {
        name: str(course / ".home") for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR")
    }


def run(course: Path, *command: str) -> str:
    """What nbgrader's Python prints for these arguments in a course's folder; its errors where it fails."""
    done = subprocess.run(
        [str(python()), *command],
        cwd=course,
        env=os.environ | settings(course),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def nbgrader(course: Path, *command: str) -> None:
    """Run one of nbgrader's commands."""
    run(course, str(_FOLDER / "bin" / "nbgrader"), *command)


def points(course: Path) -> dict[str, dict[str, float]]:
    """What nbgrader gave, by student and exercise."""
    told = json.loads(run(course, "-c", _POINTS, ASSIGNMENT))
    by_cell = {f"ex-{each.replace('.', '-')}-check": each for each in IDS}
    return {student: {by_cell[cell]: score for cell, score in scores.items()} for student, scores in told.items()}
