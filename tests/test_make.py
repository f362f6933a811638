"""The Makefile's setup on machines that lack something: one line, with the command that brings it.

A `python3.x` here is a shell script that tells a version and notes what pip is asked for; nothing is installed.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent
TOOLS = ["awk", "cat", "cksum", "cp", "dirname", "env", "find", "grep", "id", "make", "mkdir", "rm", "sh"]

# $VERSION and $LACKS are written in; `-m venv` copies the script to where a real one would be.
PYTHON = """#!/bin/sh
here=$(dirname "$0")
case "$*" in
    *'not (3, 11)'*) case VERSION in 3.11|3.12|3.13) exit 0;; *) exit 1;; esac;;
    *'import ensurepip'*) [ LACKS != venv ];;
    *'print("%d.%d"'*) echo VERSION;;
    *'sys.prefix'*) echo VERSION "$(cd "$here" && pwd -P)";;
    *'-m venv --clear .venv'*)
        rm -rf .venv; mkdir -p .venv/bin; cp "$0" .venv/bin/python; echo "venv VERSION" >>log;;
    *'-m pip --version'*) exit 0;;
    *'-m pip install'*) echo "$*" >>log; [ LACKS != network ];;
    *) echo "$*; ${PYTHONPATH-none} ${ECHOMQ_LAB_URL-none}" >>log; [ LACKS != soak ] || exit 5;;
esac
"""
INSTALLED = [
    "-m pip install --quiet --no-deps --require-hashes -r requirements.lock",
    "-m pip install --quiet --no-deps --no-build-isolation -e .",
]


class Machine:
    """A clone in a folder with a space in its name, and a PATH of only what is put there."""

    def __init__(self, folder: Path) -> None:
        self.clone, self.path = folder / "a clone", folder / "bin"
        self.path.mkdir()
        shutil.copytree(TOP / ".ci", self.clone / ".ci")
        for name in ("Makefile", "pyproject.toml", "requirements.lock"):
            shutil.copy(TOP / name, self.clone)
        for tool in TOOLS:
            if found := shutil.which(tool):
                (self.path / tool).symlink_to(found)
        self.tool("git", "exit 0")
        self.tool("uname", "echo Linux")

    def tool(self, name: str, script: str) -> None:
        (self.path / name).unlink(missing_ok=True)
        (self.path / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.path / name).chmod(0o755)

    def python(self, name: str, version: str, lacks: str = "nothing") -> None:
        self.tool(name, PYTHON.replace("VERSION", version).replace("LACKS", lacks))

    def make(self, *arguments: str, **environ: str) -> tuple[int, str]:
        done = subprocess.run(
            [self.path / "make", "--no-print-directory", *arguments],
            cwd=self.clone,
            env={"PATH": str(self.path), **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        return done.returncode, done.stdout

    def log(self) -> list[str]:
        log = self.clone / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


SUDO = "" if os.geteuid() == 0 else "sudo "
NEEDS = "EchoMQ Lab needs Python 3.11, 3.12 or 3.13"


@pytest.mark.parametrize(
    ("pythons", "system", "said"),
    [
        ({}, "Linux", f"{NEEDS}: {SUDO}apt-get install python3 python3-venv"),
        ({}, "Darwin", f"{NEEDS}: brew install python@3.13"),
        ({"python3": "3.9"}, "Linux", f"{NEEDS} (found 3.9): {SUDO}apt-get install python3.13 python3.13-venv"),
        ({"python3": "3.14"}, "Darwin", f"{NEEDS} (found 3.14): brew install python@3.13"),
        (
            {"python3": "3.11 venv"},
            "Linux",
            f"python3 (Python 3.11) has no venv module: {SUDO}apt-get install python3.11-venv",
        ),
    ],
)
def test_a_missing_python_is_told_in_one_line(
    pythons: dict[str, str], system: str, said: str, machine: Machine
) -> None:
    machine.tool("uname", f"echo {system}")
    for name, what in pythons.items():
        machine.python(name, *what.split())
    for target in ("setup", "lab", "test"):
        code, printed = machine.make(target)
        assert code == 2
        assert [line for line in printed.splitlines() if not line.startswith("make: ***")] == [said]
    assert not (machine.clone / ".venv").exists()


def test_a_python_that_was_asked_for_and_does_not_run_is_named(machine: Machine) -> None:
    said = f"{NEEDS}, and /nowhere/python does not run: {SUDO}apt-get install python3 python3-venv\n"
    assert said in machine.make("setup", "PYTHON=/nowhere/python")[1]


def test_fedora_is_told_its_own_command(machine: Machine) -> None:
    machine.tool("dnf", "exit 0")
    assert f"{NEEDS}: {SUDO}dnf install python3\n" in machine.make("setup")[1]


def test_a_missing_git_is_told_in_one_line(machine: Machine) -> None:
    machine.python("python3", "3.12")
    (machine.path / "git").unlink()
    code, printed = machine.make("setup")
    assert code == 2
    assert printed.splitlines()[0] == f"EchoMQ Lab needs git: {SUDO}apt-get install git"


@pytest.mark.parametrize(
    ("pythons", "arguments", "chosen"),
    [
        ({"python3": "3.11", "python3.12": "3.12", "python3.13": "3.13"}, [], "3.13"),
        ({"python3": "3.12"}, [], "3.12"),
        ({"python3": "3.11", "python3.12": "3.12", "python3.13": "exit 127"}, [], "3.12"),
        ({"python3": "3.11", "python3.13": "3.13 venv"}, [], "3.11"),
        ({"python3": "3.11", "python3.13": "3.13"}, ["PYTHON=python3"], "3.11"),
    ],
)
def test_the_newest_python_that_runs_and_has_venv_is_taken(
    pythons: dict[str, str], arguments: list[str], chosen: str, machine: Machine
) -> None:
    for name, what in pythons.items():
        if what.startswith("exit"):
            machine.tool(name, what)
        else:
            machine.python(name, *what.split())
    code, printed = machine.make("setup", *arguments)
    assert code == 0, printed
    assert machine.log() == [f"venv {chosen}", *INSTALLED]
    assert printed.splitlines()[0] == f"making .venv with Python {chosen}"


def test_the_second_setup_has_nothing_to_do(machine: Machine) -> None:
    machine.python("python3", "3.12")
    machine.make("setup")
    machine.log()
    assert machine.make("setup") == (0, "")
    (machine.clone / "pyproject.toml").touch()
    assert machine.make("setup") == (0, "")
    assert machine.log() == []


def test_a_changed_lock_is_installed_into_the_same_venv(machine: Machine) -> None:
    machine.python("python3", "3.12")
    machine.make("setup")
    machine.log()
    with (machine.clone / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    assert machine.make("setup")[0] == 0
    assert machine.log() == INSTALLED


def test_another_python_asked_for_makes_the_venv_anew(machine: Machine) -> None:
    machine.python("python3.12", "3.12")
    machine.python("python3.13", "3.13")
    machine.make("setup")
    machine.log()
    assert machine.make("setup", "PYTHON=python3.12")[0] == 0
    assert machine.log()[0] == "venv 3.12"
    assert machine.make("setup") == (0, "")


def test_an_interrupted_setup_is_made_anew(machine: Machine) -> None:
    machine.python("python3", "3.12", "network")
    code, printed = machine.make("setup")
    assert code == 2
    assert "setup did not finish; what is above tells why, then run make setup again" in printed
    machine.python("python3", "3.12")
    machine.log()
    assert machine.make("setup")[0] == 0
    assert machine.log() == ["venv 3.12", *INSTALLED]
    assert machine.make("setup") == (0, "")


def test_a_venv_whose_interpreter_vanished_is_made_anew(machine: Machine) -> None:
    machine.python("python3", "3.12")
    machine.make("setup")
    machine.log()
    python = machine.clone / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("nowhere")
    assert machine.make("setup")[0] == 0
    assert machine.log() == ["venv 3.12", *INSTALLED]


def test_the_targets_run_what_they_say_and_the_shell_s_settings_stay_out(machine: Machine) -> None:
    machine.python("python3", "3.12")
    machine.make("setup")
    machine.log()
    settings = {"PYTHONPATH": "/elsewhere", "ECHOMQ_LAB_URL": "redis://127.0.0.1:1/0"}
    url = settings["ECHOMQ_LAB_URL"]
    ran = {
        "lab": [f"-m echomq_lab open --no-browser; none {url}"],
        "reset": [f"-m echomq_lab reset --no-browser; none {url}"],
        "doctor": [f"-m echomq_lab doctor --no-browser; none {url}"],
        "test": [
            f"-m ruff format --check .; none {url}",
            f"-m ruff check .; none {url}",
            f"-m mypy; none {url}",
            "-m pytest -m not soak --no-browser; none none",
        ],
        "bench": ["-m benchmarks --no-browser; none none"],
        "soak": ["-m pytest -m soak --no-browser; none none"],
    }
    for target, lines in ran.items():
        assert machine.make(target, "ARGS=--no-browser", **settings)[0] == 0
        assert machine.log() == lines


def test_without_long_counts_soak_says_so(machine: Machine) -> None:
    machine.python("python3", "3.12", "soak")
    assert machine.make("setup")[0] == 0
    assert machine.make("soak") == (0, "no long counts yet: nothing to soak\n")


def test_make_alone_tells_the_targets(machine: Machine) -> None:
    code, printed = machine.make()
    assert code == 0
    targets = [line.split()[1] for line in printed.splitlines()]
    assert targets == ["lab", "reset", "test", "setup", "doctor", "lint", "bench", "soak", "lock", "clean"]
    assert set(targets) <= set((TOP / "Makefile").read_text().partition(".PHONY:")[2].splitlines()[0].split())


def test_clean_keeps_the_reader_s_work(machine: Machine) -> None:
    for folder in (".venv", "lab-work", "build"):
        (machine.clone / folder).mkdir()
    for folder in ("echomq_lab", "tests", "benchmarks"):
        (machine.clone / folder / "__pycache__").mkdir(parents=True)
    assert machine.make("clean") == (0, "")
    assert not (machine.clone / ".venv").exists()
    assert not list(machine.clone.rglob("__pycache__"))
    assert (machine.clone / "lab-work").is_dir()


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = (TOP / ".ci" / "run").read_text()
    assert script.rstrip().endswith("exec make test")
    subprocess.run(["sh", "-n", TOP / ".ci" / "run"], check=True)
    subprocess.run(["sh", "-n", TOP / ".ci" / "setup"], check=True)
