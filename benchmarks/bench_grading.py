"""What grading a class costs: submissions a minute beside nbgrader, and memory at 50 and at 500 submissions.

    python -m benchmarks grading

A submission is the three notebooks with all fifteen exercises: right answers, some of them wrong, none. nbgrader grades
one of each through its API in one process, its best case: what comes before the first submission is not counted. After
each `echomq-lab grade` grades copies of all three with isolation on, with a job for each core, counted from the
command's start to its end. It is to be at least 20 times as fast, the three taken together, with the same points.

Shown without a bar: one job, and 500 submissions. The peaks of memory are those of the main process, of the largest of
its workers, of the largest process that they start (students' processes and stores), and of all together at one time,
where what processes share is counted for each.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

from benchmarks.table import Limit, Measured, Row
from echomq_lab.grading.graded import from_json
from tests import nbgrader_course

ROWS = (Row("grading to nbgrader", "submissions/min", Limit("at least", 20)),)
FEW, MANY = 50, 500
POLL_S = 0.5

#: Grades the students that it is told of by nbgrader's API, and tells how many seconds each took.
API = """
import sys, time
from nbgrader.apps.api import NbGraderAPI
from traitlets.config import Config

config = Config()
config.CourseDirectory.root = "."
config.ClearSolutions.enabled = False
api = NbGraderAPI(config=config)
assert api.generate_assignment(sys.argv[1])["success"]
print("ready", flush=True)
for line in sys.stdin:
    began = time.perf_counter()
    graded = api.autograde(sys.argv[1], line.strip())
    assert graded["success"], graded
    print(time.perf_counter() - began, flush=True)
"""

#: The points of a student, by exercise.
Points = dict[str, dict[str, float]]


@dataclass
class Peaks:
    """The most memory that was seen, in MB."""

    main: float = 0.0
    worker: float = 0.0
    below: float = 0.0
    together: float = 0.0


@dataclass
class Graded:
    """What a run of `echomq-lab grade` took, in seconds, its peaks, and the points that it gave."""

    took_s: float
    peaks: Peaks = field(default_factory=Peaks)
    points: Points = field(default_factory=dict)


@contextmanager
def nbgrader(course: Path) -> Iterator[Callable[[str], float]]:
    """A course with the notebooks handed out and in; answer what grades a student, in seconds."""
    nbgrader_course.begin(course)
    command = [str(nbgrader_course.python()), "-c", API, nbgrader_course.ASSIGNMENT]
    settings = os.environ | nbgrader_course.settings(course)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with (
        (course / "log").open("w") as log,
        subprocess.Popen(command, cwd=course, env=settings, stderr=log, **pipes) as grading,
    ):

        def told() -> str:
            line = grading.stdout.readline()
            if not line:
                raise RuntimeError((course / "log").read_text())
            return line

        def autograde(student: str) -> float:
            grading.stdin.write(f"{student}\n")
            return float(told())

        told()
        nbgrader_course.hand_in(course)
        yield autograde


def grade(course: Path, count: int, jobs: int) -> Graded:
    """Grade so many copies of what the three students handed in."""
    with tempfile.TemporaryDirectory(prefix="class-") as top:
        folder, target, seed = Path(top) / "class", Path(top) / "out", Path(top) / "seed"
        students = sorted(nbgrader_course.STUDENTS)
        for number in range(count):
            student = students[number % len(students)]
            shutil.copytree(
                course / "submitted" / student / nbgrader_course.ASSIGNMENT, folder / f"{student}-{number:03}"
            )
        seed.write_text("a seed of the benchmark, no secret")
        command = [sys.executable, "-m", "echomq_lab", "grade", str(folder), "--out", str(target)]
        began = time.perf_counter()
        grading = subprocess.Popen([*command, "--seed-file", str(seed), "--jobs", str(jobs)], stdout=subprocess.DEVNULL)
        peaks = Peaks()
        while grading.poll() is None:
            _look(grading.pid, peaks)
            time.sleep(POLL_S)
        took_s = time.perf_counter() - began
        if grading.returncode:
            raise RuntimeError(f"echomq-lab grade exited {grading.returncode}")
        results = [from_json(path.read_text("utf-8")) for path in (target / "results").glob("*.json")]
        points = {each.student: {one.exercise: float(one.earned) for one in each.verdicts} for each in results}
        assert len(points) == count
        return Graded(took_s, peaks, points)


def _look(main: int, peaks: Peaks) -> None:
    """Raise the peaks to what the process and all below it hold now."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and (parent := _status(int(entry.name)).get("PPid")):
            parents.setdefault(int(parent), []).append(int(entry.name))
    together = 0.0
    below = [(main, 0)]
    while below:
        pid, depth = below.pop()
        status = _status(pid)
        peak_mb, now_mb = (int(status.get(name, "0 kB").split()[0]) / 1024 for name in ("VmHWM", "VmRSS"))
        together += now_mb
        match depth:
            case 0:
                peaks.main = max(peaks.main, peak_mb)
            case 1:
                peaks.worker = max(peaks.worker, peak_mb)
            case _:
                peaks.below = max(peaks.below, peak_mb)
        below += [(child, depth + 1) for child in parents.get(pid, [])]
    peaks.together = max(peaks.together, together)


def _status(pid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def run() -> list[Measured]:
    """Print times and peaks; answer the row."""
    try:
        nbgrader_course.python()
    except nbgrader_course.NoEnvironmentError as error:
        return [ROWS[0].missing(str(error))]
    cores = len(os.sched_getaffinity(0))
    theirs_s: list[float] = []
    pairs: list[Graded] = []
    with tempfile.TemporaryDirectory(prefix="course-") as top:
        course = Path(top)
        with nbgrader(course) as autograde:
            for student in nbgrader_course.STUDENTS:
                theirs_s.append(autograde(student))
                pairs.append(grade(course, FEW, cores))
        theirs = nbgrader_course.points(course)
        each_s, ours_s = mean(theirs_s), mean(run.took_s for run in pairs) / FEW
        print(f"{'':<34}{'a submission':>13}{'a minute':>11}{'ratio':>9}")
        _show("nbgrader, its API", each_s, each_s)
        _show(f"grade, {FEW} submissions, {cores} jobs", ours_s, each_s)
        runs = {(FEW, cores): pairs[0]}
        for count, jobs in ((FEW, 1), (MANY, cores)):
            runs[count, jobs] = run = grade(course, count, jobs)
            _show(f"grade, {count} submissions, {jobs} job{'s'[: jobs > 1]}", run.took_s / count, each_s)
    print(f"\n{'peaks':<34}{'main':>12}{'worker':>12}{'below':>12}{'all':>12}")
    for (count, jobs), run in runs.items():
        name = f"{count} submissions, {jobs} job{'s'[: jobs > 1]}"
        told = (run.peaks.main, run.peaks.worker, run.peaks.below, run.peaks.together)
        print(f"{name:<34}" + "".join(f"{mb:>9.0f} MB" for mb in told))
    wrong = sum(
        scores != theirs[student.partition("-")[0]]
        for run in (*pairs, *runs.values())
        for student, scores in run.points.items()
    )
    if wrong:
        return [ROWS[0].missing(f"{wrong} submissions have other points than nbgrader gives")]
    return [ROWS[0].measured(60 / ours_s, each_s / ours_s)]


def _show(name: str, each_s: float, theirs_s: float) -> None:
    print(f"{name:<34}{each_s * 1_000:>10.0f} ms{60 / each_s:>11.1f}{theirs_s / each_s:>9.1f}", flush=True)
