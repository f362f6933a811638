"""`echomq-lab check`: notebooks run in kernels of their own, verdicts in text and JSON, mistakes in one line."""

import contextlib
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from echomq_lab import cli, workdir
from echomq_lab.checks import fresh_run
from echomq_lab.checks.exercise import Marks
from echomq_lab.checks.in_kernel import ungraded
from echomq_lab.checks.verdict import Failure, Status, Verdict

NEXT_INTERVAL = "def next_interval(prev_ms, every_ms):\n    return prev_ms + every_ms"
NEXT_CRON = """\
from datetime import UTC, datetime, timedelta
from croniter import croniter

def next_cron(expr, now_ms):
    start = datetime.fromtimestamp(now_ms / 1000, UTC) - timedelta(microseconds=1)
    return round(croniter(expr, start).get_next(float) * 1000)"""
REGISTER = (workdir.PROJECT / "echomq_lab" / "lua" / "register.lua").read_text("utf-8")

Cells = list[tuple[str, ...]]


def made(path: Path, *cells: tuple[str, ...]) -> Path:
    """A notebook of code cells, each a source and its tags."""
    found = [
        {
            "cell_type": "code",
            "id": f"c{number}",
            "metadata": {"tags": tags} if tags else {},
            "source": source.splitlines(keepends=True),
            "outputs": [],
            "execution_count": None,
        }
        for number, (source, *tags) in enumerate(cells, 1)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": found, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), "utf-8")
    return path


def run(*argv: str | Path) -> tuple[object, str, str]:
    """Exit code, stdout and stderr of `echomq-lab check`, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code: object = cli.main(["check", *map(str, argv)])
        except SystemExit as left:
            code = left.code
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder of notebooks in which a check must change nothing."""
    yield (folder := tmp_path / "mine")
    assert {path.suffix for path in folder.rglob("*")} <= {".ipynb"}


def test_a_notebook_whose_answers_are_right_earns_all_and_exits_with_0(folder: Path) -> None:
    path = made(folder / "good.ipynb", (NEXT_INTERVAL, "answer", "1.2"), ("next_interval(0, 1)",))
    before = path.read_bytes()
    said = (
        "4 of 4 points\n"
        "  exercise  asks for       status  points  what is wrong\n"
        "  --------  -------------  ------  ------  -------------\n"
        "  1.2       next_interval  right   4 of 4\n"
        "Public checks: a mark is made with other numbers of the same kinds.\n"
    )
    assert run(path) == (0, said, "")
    assert path.read_bytes() == before


def test_an_answer_counts_as_it_is_at_its_check_cell_and_a_missing_one_counts_too(folder: Path) -> None:
    path = made(
        folder / "rebound.ipynb",
        ("def gap(a, b): return a + b\ndef next_interval(p, e): return gap(p, e)", "answer", "1.2"),
        ("'where the check stands'", "check", "1.2"),
        ("gap = 5",),
        ("'nothing is answered here'", "check", "1.3"),
    )
    code, told, _ = run(path)
    assert (code, told.splitlines()[0]) == (1, "4 of 14 points")
    assert "The answer cell of 1.3 is missing: none is tagged answer and 1.3." in told


def test_what_a_cell_does_stops_no_other_cell_and_no_check(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECHOMQ_LAB_URL", "redis://127.0.0.1:1/0")
    path = made(
        folder / "wild.ipynb",
        ("1 / 0",),
        ("name = input('who? ')",),
        ("import os\nos.write(1, b'x' * 1_000_000)\nwith open('litter', 'w') as file: file.write('x')",),
        ("assert 'ECHOMQ_LAB_URL' not in os.environ",),
        ("from echomq_lab.checks import check\nassert str(check('1.2').status) == 'could not be graded'",),
        ("json = open = check = exercise = None",),
        ("def next_interval(prev_ms, every_ms): return prev_ms",),
        (NEXT_INTERVAL, "answer", "1.2"),
        (NEXT_INTERVAL + "\nwhile True: print('x' * 100_000)", "answer", "1.2"),
        ("def next_cron(expr, now_ms:\n    return 1", "answer", "1.3"),
        (f"REGISTER_LUA = {REGISTER!r}\nraise ValueError('\\x1b[2J')", "answer", "2.3"),
    )
    code, out, err = run("--timeout", "1", "--json", path)
    assert (code, err, out.count("\n")) == (1, "", 1)
    told = json.loads(out)
    (notebook,) = told["notebooks"]
    assert notebook["notebook"] == "wild.ipynb"
    assert notebook["told"] == [
        "1.2 has 2 answer cells; what counts is cell 9 (c9)",
        "cell 1 (c1) raised ZeroDivisionError: division by zero",
        "cell 2 (c2) asked for input(), which nobody can answer here",
        "cell 9 (c9) did not end within 1 second and was interrupted",
        "cell 10 (c10) raised SyntaxError: '(' was never closed (line 1)",
        r"cell 11 (c11) raised ValueError: \x1b[2J",
    ]
    interval, cron, register = (Verdict.from_json(json.dumps(each)) for each in notebook["exercises"])
    assert [json.loads(each.to_json()) for each in (interval, cron, register)] == notebook["exercises"]
    assert (interval.status, interval.earned) == (Status.RIGHT, 4)
    assert interval.note == "The answer cell, cell 9 (c9), did not end within 1 second and was interrupted."
    assert (cron.status, cron.earned) == (Status.WRONG, 0)
    assert cron.failure is not None
    assert cron.failure.says.startswith("The answer cell, cell 10 (c10), raised SyntaxError: ")
    assert (register.status, register.earned) == (Status.RIGHT, 12)
    assert (told["earned"], told["points"], told["public"]) == (16, 26, True)


def test_a_kernel_that_dies_takes_only_what_stands_below_with_it(folder: Path) -> None:
    path = made(
        folder / "dies.ipynb",
        (NEXT_INTERVAL.replace("+", "-"), "answer", "1.2"),
        ("import os; os._exit(1)",),
        (NEXT_CRON, "answer", "1.3"),
    )
    code, out, err = run(path)
    assert (code, err) == (1, "")
    assert out.splitlines()[0] == "dies.ipynb: cell 2 (c2) ended the kernel"
    assert out.endswith(
        "\n\n1.3 next_cron: crashed, 0 of 10 points (public checks)\n"
        "This answer was not tried: cell 2 (c2) ended the kernel.\n"
        "Try next: Mend that cell (an exit, a loop, too much memory), then check again.\n"
    )
    assert "\n\n1.2 next_interval: wrong, 1 of 4 points (public checks)\n" in out


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("exit", "ended the kernel by exit or quit"),
        (
            "import time\nwhile True:\n    try:\n        time.sleep(60)\n    except BaseException:\n        pass",
            "did not end within 1 second and could not be interrupted, so the kernel was ended",
        ),
    ],
)
def test_a_kernel_that_leaves_or_cannot_be_stopped_is_told(
    source: str, words: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fresh_run, "_GRACE_S", 1)
    path = made(folder / "x.ipynb", (source, "answer", "1.2"))
    code, out, _ = run("--timeout", "1", path)
    assert code == 1
    assert out.splitlines()[0] == f"x.ipynb: cell 1 (c1) {words}"
    assert f"This answer was not tried: cell 1 (c1) {words}." in " ".join(out.split())


@pytest.fixture
def no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that runs notebooks here has failed."""
    monkeypatch.setattr(fresh_run, "_run", lambda *_: pytest.fail("a kernel would have been started"))


ANSWERED = {"cell_type": "code", "metadata": {"tags": ["answer", "1.2"]}, "source": "1"}


def notebook(**other: Any) -> str:
    return json.dumps({"cells": [ANSWERED], "metadata": {}, "nbformat": 4, "nbformat_minor": 5} | other)


@pytest.mark.usefixtures("no_kernel")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "x.ipynb is no notebook: it is not JSON (Expecting property name enclosed in double quotes:"),
        ("[" * 100_000, "x.ipynb is no notebook: it is not JSON (maximum recursion depth exceeded"),
        (b"\xff\xfe", "x.ipynb is no notebook: it is not UTF-8 text"),
        ("[]", "x.ipynb is no notebook: it names no notebook format"),
        (
            notebook(nbformat=3),
            "x.ipynb is of notebook format 3, not 4; open it in JupyterLab and save it, which writes format 4",
        ),
        (notebook(cells={}), "x.ipynb is no notebook: it has no list of cells"),
        (notebook(cells=[ANSWERED, {"cell_type": "code"}]), "x.ipynb is no notebook: its cell 2 is no cell"),
        (notebook(cells=[ANSWERED | {"metadata": 1}]), "x.ipynb is no notebook: its cell 1 is no cell"),
        (
            notebook(cells=[ANSWERED | {"source": "'\ud800'"}]),
            "x.ipynb cannot be run or handed in: its cell 1 holds half a character (a lone surrogate)",
        ),
        (notebook(cells=[]), "x.ipynb has no exercises: no cell is tagged `answer` and, say, `1.1`"),
        (
            notebook(cells=[ANSWERED | {"metadata": {"tags": "answer 1.2"}}]),
            "x.ipynb has no exercises: no cell is tagged `answer` and, say, `1.1`",
        ),
        (None, "there is no file "),
    ],
)
def test_what_cannot_be_checked_is_told_in_a_line(content: str | bytes | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    good = made(tmp_path / "good.ipynb", (NEXT_INTERVAL, "answer", "1.3"))
    code, out, err = run(good, path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("echomq-lab: ")
    assert said in err.replace(f"{tmp_path}/", "")


@pytest.mark.usefixtures("no_kernel")
@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "echomq-lab check: the following arguments are required: NOTEBOOK"),
        (["01", "--timeout", "0"], "a number of seconds is from 1 to 3600, not '0'"),
        (["01", "--timeout", "long"], "a number of seconds is from 1 to 3600, not 'long'"),
        (["77"], "there is no notebook '77'; choose from 00-hub, 01-cron"),
        (["cron.ipynb"], "there is no notebook 'cron.ipynb'; choose from 00-hub, 01-cron"),
        (["sub/cron.ipynb"], "there is no file sub/cron.ipynb"),
        (["/"], "/ is no file"),
        (["00"], "there is no 00-hub.ipynb in "),
        (["01", "1"], "1.2 is in 01-cron.ipynb and in 01-cron.ipynb; check them one by one"),
    ],
)
def test_a_mistake_is_told_in_a_line(
    argv: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workdir, "NOTEBOOKS", tmp_path / "notebooks")
    for name in ("00-hub", "01-cron"):
        made(tmp_path / "notebooks" / f"{name}.ipynb", ("...", "answer", "1.2"))
    made(tmp_path / "work" / "01-cron.ipynb", (NEXT_INTERVAL, "answer", "1.2"))
    code, out, err = run(*argv, "--dir", tmp_path / "work")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_a_number_or_a_name_is_the_readers_copy_and_a_path_is_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, work, here = (tmp_path / name for name in ("notebooks", "work", "here"))
    yours = made(work / "01-cron.ipynb")
    made(ours / "01-cron.ipynb")
    made(work / "01-cron.2026-01-05T0850.ipynb")
    found: Callable[[str], Path] = lambda which: workdir.yours(which, work, ours)  # noqa: E731
    assert [found(which) for which in ("01", "1", "01-cron", "01-cron.ipynb")] == [yours] * 4
    (here / "01").mkdir(parents=True)
    made(here / "01-cron.ipynb")
    monkeypatch.chdir(here)
    assert [found("01"), found("01-cron.ipynb")] == [yours, Path("01-cron.ipynb")]


def test_a_kernel_that_does_not_start_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(_: object) -> None:
        raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr(fresh_run._Kernel, "start", refuse)
    code, _, err = run(made(folder / "x.ipynb", (NEXT_INTERVAL, "answer", "1.2")))
    assert code == 2
    assert err == (
        "echomq-lab: the kernel did not start: Kernel died before replying to kernel_info; "
        "`echomq-lab doctor` tells what is missing\n"
    )


VERDICT = Verdict("1.2", "next_interval", Status.RIGHT, (("type", 1, True), ("value", 3, True)))
FAILURE = Failure("value", "seconds", "Says.", "given", "came", "expected", "next", "fakeredis", Marks(5, (7,), (6, 8)))


@pytest.mark.parametrize(
    "verdict",
    [
        VERDICT,
        replace(VERDICT, note="A note: \u00e9\x1b."),
        replace(VERDICT, status=Status.TIMED_OUT, failure=FAILURE),
        replace(VERDICT, status=Status.WRONG, failure=replace(FAILURE, marks=None, mistake=None)),
        ungraded("1.3", "MemoryError: "),
    ],
)
def test_a_verdict_comes_back_from_its_json_as_it_was(verdict: Verdict) -> None:
    again = Verdict.from_json(verdict.to_json())
    assert again == verdict
    assert (again.to_json(), again.to_text()) == (verdict.to_json(), verdict.to_text())


def test_where_the_check_itself_goes_wrong_nothing_is_graded() -> None:
    verdict = ungraded("1.2", "OSError: no space left")
    assert verdict.to_text() == (
        "1.2 next_interval: could not be graded, 0 of 4 points (public checks)\n"
        "The check itself went wrong: OSError: no space left.\n"
        "Try next: Check again; if it stays so, `echomq-lab doctor` tells what is missing."
    )
