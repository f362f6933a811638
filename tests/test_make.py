"""The Makefile's setup on machines that lack something: one line, with the command that brings it.

A `python3.x` here is a shell script that tells a version and notes what pip is asked for; nothing is installed.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent
TOOLS = "awk cat cksum cp dirname env find grep id make mkdir rm sh sleep".split()

# VERSION, LACKS and REAL are written in; `-m venv` copies the script to where a real one would be.
PYTHON = """#!/bin/sh
here=$(dirname "$0")
case "$*" in
    *'not (3, 11)'*) case VERSION in 3.11|3.12|3.13) exit 0;; *) exit 1;; esac;;
    *'import ensurepip'*) [ LACKS != venv ];;
    *'print("%d.%d"'*) echo VERSION;;
    *'sys.prefix'*) echo VERSION "$(cd "$here" && pwd -P)";;
    *'import fcntl'*) exec REAL "$@";;
    *'-m venv --clear .venv'*)
        if [ LACKS = room ]; then echo 'no room' >&2; exit 1; fi
        if [ LACKS = end ]; then echo begun >>log; REAL -c 'import time; time.sleep(60)'; fi
        rm -rf .venv; mkdir -p .venv/bin; cp "$0" .venv/bin/python; echo "venv VERSION" >>log;;
    *'-m pip --version'*) exit 0;;
    *'-m pip install'*) [ LACKS != hurry ] || sleep 1; echo "$*" >>log; [ LACKS != network ];;
    *) echo "$*; ${PYTHONPATH-none} ${ECHOMQ_LAB_URL-none}" >>log;;
esac
"""
INSTALLED = [
    "-m pip install --quiet --no-deps --require-hashes -r requirements.lock",
    "-m pip install --quiet --no-deps --no-build-isolation -e .",
]
# Where the tests run in a shell's background, Ctrl-C is ignored from birth on.
HEEDING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Machine:
    """A clone in a folder with a space in its name, and a PATH of only what is put there."""

    def __init__(self, folder: Path) -> None:
        self.clone, self.path = folder / "a clone", folder / "bin"
        self.path.mkdir()
        shutil.copytree(TOP / ".ci", self.clone / ".ci")
        for folder in ("echomq_lab", "tests", "benchmarks"):
            (self.clone / folder).mkdir()
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
        script = PYTHON.replace("VERSION", version).replace("LACKS", lacks)
        self.tool(name, script.replace("REAL", shlex.quote(sys.executable)))

    def begin(self, *arguments: str, **environ: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", HEEDING, self.path / "make", "--no-print-directory", *arguments],
            cwd=self.clone,
            env={"PATH": str(self.path), **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            process_group=0,
        )

    def make(self, *arguments: str, **environ: str) -> tuple[int, str]:
        with self.begin(*arguments, **environ) as process:
            printed, _ = process.communicate(timeout=180)
        return process.returncode, printed

    def log(self) -> list[str]:
        log = self.clone / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    def wait_for(self, line: str) -> None:
        deadline = time.monotonic() + 20
        while not (self.clone / "log").exists() or line not in (self.clone / "log").read_text().splitlines():
            assert time.monotonic() < deadline, f"in vain waited for: {line}"
            time.sleep(0.01)


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
        ({"python3": "3.9"}, "Linux", f"{NEEDS} (found 3.9): {SUDO}apt-get install python3 python3-venv"),
        ({"python3": "3.14"}, "Darwin", f"{NEEDS} (found 3.14): brew install python@3.13"),
        (
            {"python3": "3.11 venv"},
            "Linux",
            f"PATH/python3 (Python 3.11) has no venv module: {SUDO}apt-get install python3.11-venv",
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
        assert [line for line in printed.splitlines() if not line.startswith("make: ***")] == [
            said.replace("PATH", str(machine.path))
        ]
    assert not (machine.clone / ".venv").exists()


@pytest.mark.parametrize(
    ("here", "asked", "said"),
    [
        ({}, "/nowhere/python", f"{NEEDS}, and /nowhere/python does not run: INSTALL python3 python3-venv, LEAVE"),
        ({"py": "3.10"}, "py", f"{NEEDS} (found 3.10): INSTALL python3 python3-venv, LEAVE"),
        (
            {"py": "3.10", "python3": "3.11"},
            "py",
            f"{NEEDS} (found 3.10): leave out PYTHON=, and PATH/python3 is taken",
        ),
        ({"py": "3.10", "python3.11": "3.11 venv"}, "py", f"{NEEDS} (found 3.10): INSTALL python3.11-venv, LEAVE"),
        ({"py": "3.12 venv"}, "py", "py (Python 3.12) has no venv module: INSTALL python3.12-venv"),
    ],
)
def test_a_python_that_was_asked_for_and_is_of_no_use_is_named(
    here: dict[str, str], asked: str, said: str, machine: Machine
) -> None:
    for name, what in here.items():
        machine.python(name, *what.split())
    words = {"INSTALL": f"{SUDO}apt-get install", "LEAVE": "then leave out PYTHON=", "PATH": str(machine.path)}
    for word, meant in words.items():
        said = said.replace(word, meant)
    assert machine.make("setup", f"PYTHON={asked}")[1].splitlines()[0] == said


@pytest.mark.parametrize(
    ("known", "package"),
    [("3.11", "python3.11"), ("3.12|3.11", "python3.12"), ("3.14|3.13", "python3.13"), ("3.9", "python3")],
)
def test_a_package_is_named_that_debian_has(known: str, package: str, machine: Machine) -> None:
    machine.tool(
        "apt-cache", f"case $2 in {known.replace('3.', 'python3.').replace('|', '-venv|')}-venv) ;; *) exit 100; esac"
    )
    machine.python("python3", "3.10")
    said = f"{NEEDS} (found 3.10): {SUDO}apt-get install {package} {package}-venv"
    assert machine.make("setup")[1].splitlines()[0] == said


def test_a_python_behind_a_shim_that_runs_nothing_is_found(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "shims").mkdir()
    machine.python("python3.11", "3.11")
    (tmp_path / "shims" / "python3.11").write_text("#!/bin/sh\nexit 127\n")
    (tmp_path / "shims" / "python3.11").chmod(0o755)
    assert machine.make("setup", PATH=f"{tmp_path / 'shims'}:{machine.path}")[0] == 0
    assert machine.log()[0] == "venv 3.11"


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


def test_clean_setup_installs_anew_what_setup_takes_for_done(machine: Machine) -> None:
    machine.python("python3", "3.12")
    machine.make("setup")
    machine.log()
    assert machine.make("setup") == (0, "")
    assert machine.log() == []
    for arguments in (["clean", "setup"], ["-j", "clean", "setup"]):
        assert machine.make(*arguments)[0] == 0
        assert machine.log() == ["venv 3.12", *INSTALLED]


WAITING = "another make setup is at work in this folder; waiting for it\n"


def test_of_two_setups_at_once_one_waits_for_the_other(machine: Machine) -> None:
    machine.python("python3", "3.12", "hurry")
    with machine.begin("setup") as one:
        machine.wait_for("venv 3.12")
        with machine.begin("lab") as other:
            printed, _ = other.communicate(timeout=180)
        assert (other.returncode, printed) == (0, WAITING)
        assert one.wait(60) == 0
        one.communicate()
    assert machine.log() == ["venv 3.12", *INSTALLED, "-m echomq_lab open; none none"]


def test_a_setup_that_was_killed_keeps_no_other_from_work(machine: Machine) -> None:
    machine.python("python3", "3.12", "end")
    with machine.begin("setup") as killed:
        machine.wait_for("begun")
        os.killpg(killed.pid, signal.SIGKILL)
        killed.communicate(timeout=180)
    machine.log()
    machine.python("python3", "3.12")
    code, printed = machine.make("setup")
    assert (code, WAITING in printed) == (0, False)
    assert machine.log() == ["venv 3.12", *INSTALLED]


def test_ctrl_c_while_the_venv_is_made_is_one_line(machine: Machine) -> None:
    machine.python("python3", "3.12", "end")
    with machine.begin("setup") as stopped:
        machine.wait_for("begun")
        os.killpg(stopped.pid, signal.SIGINT)
        printed, _ = stopped.communicate(timeout=180)
    assert stopped.returncode != 0
    assert [line for line in printed.splitlines() if not line.startswith("make: ***")] == [
        "making .venv with Python 3.12",
        "stopped; make setup starts over",
    ]


def test_why_a_venv_could_not_be_made_is_told(machine: Machine) -> None:
    machine.python("python3", "3.12", "room")
    code, printed = machine.make("setup")
    assert code == 2
    assert printed.splitlines()[1:3] == [
        "no room",
        "making .venv failed; what is above tells why, then run make setup again",
    ]


def test_a_venv_whose_interpreter_vanished_is_made_anew(machine: Machine) -> None:
    machine.python("python3", "3.12")
    machine.make("setup")
    machine.log()
    python = machine.clone / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("nowhere")
    assert machine.make("setup")[0] == 0
    assert machine.log() == ["venv 3.12", *INSTALLED]


def with_long_counts(machine: Machine) -> None:
    (machine.clone / "tests" / "test_short.py").write_text("def test_it(): ...\n")
    (machine.clone / "tests" / "test_long.py").write_text("@pytest" + ".mark.soak\ndef test_it(): ...\n")


def test_the_targets_run_what_they_say_and_the_shell_s_settings_stay_out(machine: Machine) -> None:
    machine.python("python3", "3.12")
    with_long_counts(machine)
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
            "-m pytest -n 3 --dist loadfile -m not soak --no-browser; none none",
        ],
        "bench": ["-m benchmarks --no-browser; none none"],
        "soak": ["-m pytest -n 2 -m soak tests/test_long.py --no-browser; none none"],
    }
    for target, lines in ran.items():
        assert machine.make(target, "ARGS=--no-browser", **settings)[0] == 0
        assert machine.log() == lines


def test_without_long_counts_soak_says_so_and_collects_nothing(machine: Machine) -> None:
    machine.python("python3", "3.12")
    with_long_counts(machine)
    assert machine.make("setup")[0] == 0
    machine.log()
    (machine.clone / "tests" / "test_long.py").unlink()
    assert machine.make("soak") == (0, "no long counts yet: nothing to soak\n")
    assert machine.log() == []


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


INSTALLS = {"id": "echo 0", "apt-get": 'echo "$*" >>log'}
LEFT_OUT = "missing, so some tests of grading's walls are left out:"


@pytest.mark.parametrize(
    ("tools", "header", "printed", "installed"),
    [
        ({"bwrap": "exit 0"}, "Makefile", "", []),
        (INSTALLS, "Makefile", "installing for the tests of grading: bubblewrap\n", ["bubblewrap"]),
        (
            INSTALLS,
            "none",
            "installing for the tests of grading: bubblewrap linux-libc-dev\n",
            ["bubblewrap", "linux-libc-dev"],
        ),
        (
            INSTALLS | {"bwrap": "exit 0"},
            "none",
            "installing for the tests of grading: linux-libc-dev\n",
            ["linux-libc-dev"],
        ),
        (
            {"id": "echo 1000", "apt-get": "exit 1"},
            "Makefile",
            f"{LEFT_OUT} bubblewrap (apt-get install, or dnf)\n",
            [],
        ),
        ({"id": "echo 0"}, "Makefile", f"{LEFT_OUT} bubblewrap (apt-get install, or dnf)\n", []),
        ({"uname": "echo Darwin"}, "none", "", []),
    ],
    ids=["there", "root on Debian", "both missing", "no headers", "not root", "no Debian", "no Linux"],
)
def test_bubblewrap_and_headers_are_brought_where_they_can_be(
    machine: Machine, tools: dict[str, str], header: str, printed: str, installed: list[str]
) -> None:
    for name, script in tools.items():
        machine.tool(name, script)
    ran = subprocess.run(
        ["/bin/sh", ".ci/sandbox"],
        cwd=machine.clone,
        env={"PATH": str(machine.path), "HEADER": header},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    assert ran.stdout == printed
    told = " ".join(machine.log())
    assert [name for name in ("bubblewrap", "linux-libc-dev") if name in told] == installed
