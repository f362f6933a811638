"""A class graded: every submission has a result, whatever it is and whatever happens to the grader meanwhile."""

import json
import linecache
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from echomq_lab.checks.exercises import IDS, exercise
from echomq_lab.checks.judge import PUBLIC, judge
from echomq_lab.checks.pupil import Forked
from echomq_lab.checks.verdict import Status, Verdict
from echomq_lab.cli import main
from echomq_lab.grading import crew, dives, grade, out, room, run
from echomq_lab.grading.cells import plan
from echomq_lab.grading.collect import Found, Submission
from echomq_lab.grading.graded import Graded, from_json
from echomq_lab.grading.notebook import read
from echomq_lab.grading.released import DIVES
from echomq_lab.store import FAKEREDIS
from tests import class_folder
from tests.test_answers import ALL, Answer

SEED = class_folder.SEED
#: How long to wait for what another process does, in seconds.
LONGEST_S = 1_200


@pytest.fixture(scope="module")
def walls() -> None:
    """Students' code sits in a sandbox here."""
    try:
        with room.Room():
            pass
    except room.IsolationError as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no isolation: {error}")


@pytest.fixture
def seed_file(tmp_path: Path) -> Path:
    path = tmp_path / "seed"
    path.write_text(f"\n  {SEED}\n")
    return path


def told(folder: Path, target: Path, seed_file: Path, *more: str) -> list[str]:
    return ["grade", str(folder), "--out", str(target), "--seed-file", str(seed_file), *more]


def results(target: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((target / "results").glob("*.json"))}


def loaded(target: Path) -> dict[str, Graded]:
    return {(each := from_json(data.decode())).student: each for data in results(target).values()}


# A class of every kind, twice: by two workers, and by one that is killed and resumed


def tree(pid: int) -> set[tuple[int, str]]:
    """A process and all below it, each with the moment it began."""
    parents: dict[int, list[int]] = {}
    began: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
            began[int(entry.name)] = fields[19]
    found, below = set(), [pid]
    while below:
        each = below.pop()
        if each in began:
            found.add((each, began[each]))
        below += parents.get(each, [])
    return found


def alive(found: set[tuple[int, str]]) -> set[tuple[int, str]]:
    """Those that still run."""
    left = set()
    for pid, began in found:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[19] == began and fields[0] != "Z":
            left.add((pid, began))
    return left


def killed(arguments: list[str], target: Path, least: int, scratch: Path) -> set[tuple[int, str]]:
    """Grade until there are some results, then kill the grader; answer what had been running."""
    grading = subprocess.Popen(
        [sys.executable, "-m", "echomq_lab", *arguments],
        stdout=subprocess.DEVNULL,
        env=os.environ | {"TMPDIR": str(scratch)},
    )
    deadline = time.monotonic() + LONGEST_S
    while len(list((target / "results").glob("*.json"))) < least:
        assert grading.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    running = tree(grading.pid)
    grading.send_signal(signal.SIGKILL)
    grading.wait()
    return running


def gone(running: set[tuple[int, str]]) -> bool:
    deadline = time.monotonic() + 60
    while alive(running) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(running)


def ends(folder: Path) -> bool:
    """Whether a folder is left empty before long."""
    deadline = time.monotonic() + 60
    while list(folder.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not list(folder.iterdir())


@pytest.fixture(scope="module")
def graded(walls: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A mixed class, its seed file, and what two workers made of it."""
    top = tmp_path_factory.mktemp("graded")
    (top / "seed").write_text(SEED)
    folder = class_folder.mixed(top / "class")
    assert main(told(folder, top / "out", top / "seed", "--jobs", "2")) == 0
    return folder, top / "seed", top / "out"


STATUS = {
    "right": Status.RIGHT,
    "wrong": Status.WRONG,
    "Blank": Status.NOT_ANSWERED,
    "loop": Status.TIMED_OUT,
    "exits": Status.CRASHED,
    "cell-exits": Status.CRASHED,
    "raises": Status.WRONG,
    "zip": Status.RIGHT,
}
REMARK = {
    "wrong": "handed in late",
    "cell-exits": "cell ex-1-2-answer was stopped",
    "huge": "is 64.0 MB; the most is 8 MB",
    "corrupt": "is cut off: its JSON ends in the middle",
    "json": "is no notebook: it is not JSON",
    "bomb": "is 32.0 MB; the most is 8 MB",
    "paths": "has a name that leads out of the zip file: not read",
    "foreign": "has no code cells",
    "essay": "is no notebook, no zip file and no folder: not read",
}


def test_every_submission_has_a_result_in_words(graded: tuple[Path, Path, Path]) -> None:
    found = loaded(graded[2])
    assert len(found) == len(list(graded[0].iterdir()))
    for student, each in found.items():
        kind = student.rstrip("0123456789_").strip()
        status = {verdict.exercise: verdict.status for verdict in each.verdicts}
        assert status["1.2"] is STATUS.get(kind, Status.NOT_ANSWERED), student
        assert list(status) == list(IDS)
        assert REMARK.get(kind, "") in "; ".join(each.remarks), student
        assert (each.isolated, SEED in each.to_json()) == (True, False)
    assert found["cell-exits0"].verdicts[0].status is Status.RIGHT
    assert found["two0"].total == exercise("2.1").points
    assert (graded[2] / "grades.csv").is_file()


def test_one_worker_killed_and_resumed_writes_the_same_bytes_and_leaves_nothing(
    graded: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, seed_file, whole = graded
    (tmp_path / "scratch").mkdir()
    arguments = told(folder, tmp_path / "out", seed_file, "--jobs", "1")
    running = killed(arguments, tmp_path / "out", 5, tmp_path / "scratch")
    assert len(running) > 3
    assert gone(running)
    assert ends(tmp_path / "scratch")
    done = results(tmp_path / "out")
    assert 5 <= len(done) < len(results(whole))
    stamps = {name: (tmp_path / "out" / "results" / name).stat().st_mtime_ns for name in done}
    assert main([*arguments, "--resume"]) == 0
    assert results(tmp_path / "out") == results(whole)
    assert stamps == {name: (tmp_path / "out" / "results" / name).stat().st_mtime_ns for name in done}
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.endswith("as before") for line in lines) == len(done)


def test_without_isolation_every_result_says_so(
    tmp_path: Path, seed_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "jdoe.ipynb").write_bytes(class_folder.notebook(1, {"1.2": class_folder.right("1.2")}))
    assert main(told(tmp_path / "class", tmp_path / "out", seed_file, "--no-isolation")) == 0
    assert capsys.readouterr().out.splitlines()[0] == run.LOUD
    found = loaded(tmp_path / "out")["jdoe"]
    assert (found.isolated, found.total) == (False, exercise("1.2").points)


# What is refused, before anything is written


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    return told.err


SEEDS = [
    (b"too short", "holds 9 characters; a seed has 16 to 1,000 characters; try the output of `openssl rand -hex 16`"),
    (b" " * 50, "holds 0 characters"),
    (b"x" * 5_000, "a seed has 16 to 1,000 characters"),
    (b"\xff" * 50, "is not UTF-8 text"),
    (None, "cannot be read"),
]


@pytest.mark.parametrize(("content", "words"), SEEDS, ids=[row[1][:20] for row in SEEDS])
def test_what_is_no_seed_is_refused_and_not_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / "seed").write_bytes(content)
    error = refused(told(tmp_path, tmp_path.parent / "out", tmp_path / "seed"), capsys)
    assert words in error
    assert "too short" not in error


Made = Callable[[Path], list[str]]


def beside(top: Path) -> list[str]:
    (top / "out").mkdir()
    (top / "out" / "thesis.tex").write_text("")
    return told(top / "class", top / "out", top / "seed")


def in_prefix(top: Path) -> list[str]:
    return told(top / "class", top / "out", Path(crew.__file__))


def linked(top: Path) -> list[str]:
    (top / "link").symlink_to(crew.__file__)
    return told(top / "class", top / "out", top / "link")


def rostered(top: Path) -> list[str]:
    (top / "roster.csv").write_text("name\nJane\n")
    return told(top / "class", top / "out", top / "seed", "--roster", str(top / "roster.csv"))


REFUSALS: list[tuple[str, Made]] = [
    ("cannot read the class's folder", lambda top: told(top / "none", top / "out", top / "seed")),
    ("holds something else than a grading (thesis.tex); choose a folder that is empty or new", beside),
    ("and the class lie in one another", lambda top: told(top / "class", top / "class" / "out", top / "seed")),
    ("and the class lie in one another", lambda top: told(top / "class", top, top / "seed")),
    ("to resume; leave --resume out", lambda top: told(top / "class", top / "out", top / "seed", "--resume")),
    ("which students' code can read; move it out of there", in_prefix),
    ("which students' code can read; move it out of there", linked),
    ("its first row must name the columns student and file (or pattern)", rostered),
]


@pytest.mark.parametrize(("words", "made"), REFUSALS, ids=[row[0][:40] for row in REFUSALS])
def test_what_cannot_be_graded_is_refused_in_one_line(
    tmp_path: Path, seed_file: Path, capsys: pytest.CaptureFixture[str], words: str, made: Made
) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "jdoe.ipynb").write_bytes(b"")
    assert words in refused(made(tmp_path), capsys)
    assert not (tmp_path / "out" / "results").exists()


def test_where_isolation_cannot_be_had_nothing_is_graded(
    tmp_path: Path, seed_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "missing", lambda: "isolation needs bubblewrap, or pass --no-isolation")
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "jdoe.ipynb").write_bytes(b"")
    assert "--no-isolation" in refused(told(tmp_path / "class", tmp_path / "out", seed_file), capsys)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1000", ""])
def test_a_number_of_jobs_is_from_1_to_256(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["grade", "x", "--out", "y", "--seed-file", "z", "--jobs", jobs])
    assert "a number of jobs is from 1 to 256" in capsys.readouterr().err


# The folder of results

RESULT = Graded("jdoe", "jdoe.ipynb", "c" * 64, (), (), "0.1.0", "f" * 12, True)
CHANGES: list[dict[str, Any]] = [
    {"student": "jane"},
    {"content": "d" * 64},
    {"kit": "0.2.0"},
    {"seed": "e" * 12},
    {"isolated": False},
    {"verdicts": (Verdict("1.1", "t", Status.UNGRADED, ()),)},
]


def test_a_result_stands_while_nothing_that_it_depends_on_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "jdoe.json"
    asked = {"student": "jdoe", "content": "c" * 64, "kit": "0.1.0", "seed": "f" * 12, "isolated": True}
    assert out.stands(path, **asked) is None  # type: ignore[arg-type]
    out.write(path, RESULT.to_json())
    assert out.stands(path, **asked) == RESULT  # type: ignore[arg-type]
    for change in CHANGES:
        out.write(path, replace(RESULT, **change).to_json())
        assert out.stands(path, **asked) is None  # type: ignore[arg-type]
    for text in ("", "{}", RESULT.to_json()[:-9]):
        path.write_text(text)
        assert out.stands(path, **asked) is None  # type: ignore[arg-type]
    assert [each.name for each in tmp_path.iterdir()] == ["jdoe.json"]


def test_a_folder_is_held_by_one_grading_and_cleared_of_halves(tmp_path: Path) -> None:
    with out.opened(tmp_path / "out", "f" * 12, "0.1.0", isolated=True):
        (tmp_path / "out" / "results" / ".half.part").write_text("{")
        with (
            pytest.raises(out.OutError, match="another grading writes to"),
            out.opened(tmp_path / "out", "f" * 12, "0.1.0", isolated=True),
        ):
            pytest.fail("two held it")
    out.refuse(tmp_path / "out", resume=True)
    with out.opened(tmp_path / "out", "f" * 12, "0.1.0", isolated=True):
        assert list((tmp_path / "out" / "results").iterdir()) == []


def test_results_of_who_left_the_class_are_set_aside(tmp_path: Path) -> None:
    with out.opened(tmp_path, "f" * 12, "0.1.0", isolated=True):
        for student in ("Jane Doe", "joe", "ann"):
            out.write(out.result(tmp_path, student), "{}")
            out.results.write(tmp_path / "feedback" / f"{out.result(tmp_path, student).stem}.html", "page")
        assert out.set_aside(tmp_path, ["Jane Doe", "ann"]) == 1
    assert [path.name for path in (tmp_path / out.SET_ASIDE).iterdir()] == ["joe.json"]
    assert len(list((tmp_path / out.RESULTS).iterdir())) == 2
    assert len(list((tmp_path / "feedback").iterdir())) == 2
    assert not (tmp_path / "feedback" / "joe.html").exists()


# The crew

STAND_IN = """
import json, os, sys, time
told = lambda **what: print(json.dumps(what), flush=True)
sys.stdin.readline()
told(ready=True)
for line in sys.stdin:
    student = json.loads(line)["student"]
    if student == "dies" or (student == "dies once" and not os.path.exists({mark!r})):
        open({mark!r}, "w").close()
        os._exit(1)
    if student == "hangs":
        time.sleep(1000)
    told(student=student, total=5, kept=False)
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that grade nothing, and die or hang when the student's name says so."""
    (tmp_path / "worker.py").write_text(STAND_IN.format(mark=str(tmp_path / "mark")))
    monkeypatch.setattr(crew, "_WORKER", (str(tmp_path / "worker.py"),))
    monkeypatch.setattr(crew, "LONGEST_S", 2.0)


def test_a_worker_that_dies_or_hangs_is_replaced_and_its_submission_is_told(stand_in: None) -> None:
    students = ["a", "dies", "b", "dies once", "hangs", "c", "d"]
    with crew.Crew(2, {}) as workers:
        done = [each for each in workers.grade(Submission(name, (name,)) for name in students) if each]
    lost = {each.submission.student: each.late for each in done if isinstance(each, crew.Lost)}
    assert lost == {"dies": False, "hangs": True}
    assert sorted(each.submission.student for each in done) == sorted(students)


def test_a_submission_that_the_grader_dies_on_has_a_result_that_is_no_mark(
    stand_in: None, tmp_path: Path, seed_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "missing", lambda: "")
    (tmp_path / "class").mkdir()
    for name in ("dies", "hangs"):
        (tmp_path / "class" / name).mkdir()
    assert main(told(tmp_path / "class", tmp_path / "out", seed_file, "--jobs", "1")) == 0
    found = loaded(tmp_path / "out")
    for student, words in (
        ("dies", "The grader itself crashed on this submission, twice."),
        ("hangs", "and was stopped."),
    ):
        assert {verdict.status for verdict in found[student].verdicts} == {Status.UNGRADED}
        assert words in found[student].remarks[-1]
        assert found[student].content == ""
    assert "2 could not be graded: look at them by hand" in capsys.readouterr().out


def test_a_room_that_does_not_open_ends_the_grading(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "worker.py").write_text('import sys\nsys.stdin.readline()\nprint(\'{"refused": "no walls here"}\')')
    monkeypatch.setattr(crew, "_WORKER", (str(tmp_path / "worker.py"),))
    with pytest.raises(room.IsolationError, match="no walls here"):
        crew.Crew(2, {})
    monkeypatch.setattr(crew, "_WORKER", ("-c", "pass"))
    with pytest.raises(room.IsolationError, match="its process ended"):
        crew.Crew(1, {})


# The marks


def planned(answers: dict[str, str]) -> tuple[dict[int, Any], list[str]]:
    found = []
    for dive in DIVES:
        data = class_folder.notebook(dive, answers)
        cells = read(data).cells
        assert cells is not None
        found.append(Found(class_folder.name(dive), class_folder.name(dive), cells, str(dive)))
    return dives.plans(found)


def marked(answers: dict[str, str], seed: str) -> Graded:
    plans, remarks = planned(answers)
    with room.Room() as sandbox:
        return grade.grade("jdoe", "jdoe", "c", plans, tuple(remarks), sandbox, seed)


def test_solved_notebooks_earn_100_points(walls: None) -> None:
    found = marked({each: class_folder.right(each) for each in IDS}, SEED)
    assert [(each.exercise, each.status) for each in found.verdicts] == [(each, Status.RIGHT) for each in IDS]
    assert (found.total, found.remarks) == (100, ())


def test_notebooks_as_they_ship_are_not_answered(walls: None) -> None:
    found = marked({}, SEED)
    assert {each.status for each in found.verdicts} == {Status.NOT_ANSWERED}
    assert (found.total, found.remarks) == (0, ())


def plain(verdict: Verdict) -> dict[str, Any]:
    """A verdict but for the name of the store: a notebook tries fakeredis first."""
    told = asdict(verdict)
    if told["failure"]:
        told["failure"]["store"] = ""
    return told


#: A column of answers at a time is put into the notebooks: one to each exercise that has so many.
COLUMNS = [
    [answer for answer in column if answer]
    for column in zip_longest(*([each for each in ALL if each.exercise == number] for number in IDS))
]


def as_a_cell(answer: Answer) -> dict[str, Any]:
    """The names of an answer whose lines are found again, as those of a notebook's cell are."""
    name = f"<cell {answer.path.stem}>"
    linecache.cache[name] = (len(answer.code), None, answer.code.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(answer.code, name, "exec"), names)
    return names


def as_in_the_notebook(column: list[Answer], monkeypatch: pytest.MonkeyPatch, valkey_url: str) -> None:
    monkeypatch.setattr(grade, "ROUNDS", 1)
    by_exercise = {answer.exercise: answer for answer in column}
    found = marked({number: answer.code for number, answer in by_exercise.items()}, PUBLIC)
    for verdict in found.verdicts:
        if answer := by_exercise.get(verdict.exercise):
            with Forked(as_a_cell(answer), total_s=60.0) as pupil:
                own = judge(exercise(answer.exercise), pupil, stores=(FAKEREDIS, valkey_url))
            assert plain(verdict) == plain(own), answer.path


def test_answers_get_the_verdict_of_the_notebooks_own_check(
    walls: None, monkeypatch: pytest.MonkeyPatch, valkey_url: str
) -> None:
    column = [next(each for each in ALL if each.exercise == number and not each.right) for number in IDS]
    as_in_the_notebook(column, monkeypatch, valkey_url)


@pytest.mark.soak
@pytest.mark.parametrize("column", COLUMNS, ids=range(len(COLUMNS)))
def test_every_answer_gets_the_verdict_of_the_notebooks_own_check(
    walls: None, monkeypatch: pytest.MonkeyPatch, valkey_url: str, column: list[Answer]
) -> None:
    as_in_the_notebook(column, monkeypatch, valkey_url)


def test_an_answer_that_uses_the_notebook_finds_it(walls: None) -> None:
    source = (
        "def next_interval(prev_ms, every_ms):\n    return Interval(every_ms).next_at(prev_ms) and prev_ms + every_ms"
    )
    found = marked({"1.2": source}, SEED)
    assert found.verdicts[1].status is Status.RIGHT
    assert plan(1, ()).answers == {}


# Long counts


def memory(pid: int) -> int:
    """What a process holds, in kB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


@pytest.fixture
def five_hundred(walls: None, tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "seed").write_text(SEED)
    return class_folder.mixed(tmp_path / "class", 500), tmp_path / "seed"


@pytest.mark.soak
def test_five_hundred_are_graded_in_flat_memory_and_the_same_when_killed(
    five_hundred: tuple[Path, Path], tmp_path: Path
) -> None:
    folder, seed_file = five_hundred
    arguments = told(folder, tmp_path / "whole", seed_file, "--jobs", "2")
    grading = subprocess.Popen([sys.executable, "-m", "echomq_lab", *arguments], stdout=subprocess.DEVNULL)
    held: dict[int, int] = {}
    while grading.poll() is None:
        count = len(list((tmp_path / "whole" / "results").glob("*.json")))
        held[count // 50] = max(held.get(count // 50, 0), memory(grading.pid) if grading.poll() is None else 0)
        time.sleep(0.1)
    assert grading.returncode == 0
    assert len(results(tmp_path / "whole")) == 500
    # Up to the last submission: the exports come after it.
    assert held[9] < held[1] + 4_000, held
    (tmp_path / "scratch").mkdir()
    arguments = told(folder, tmp_path / "again", seed_file, "--jobs", "1")
    for least in (20, 230):
        more = ["--resume"] if least > 20 else []
        running = killed([*arguments, *more], tmp_path / "again", least, tmp_path / "scratch")
        assert gone(running)
        assert ends(tmp_path / "scratch")
    assert main([*arguments, "--resume"]) == 0
    assert results(tmp_path / "again") == results(tmp_path / "whole")
    json.loads(next(iter(results(tmp_path / "again").values())))
