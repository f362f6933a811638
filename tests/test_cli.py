"""The command: copies that lose nothing, faults in one line, and a real JupyterLab."""

import asyncio
import contextlib
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

from echomq_lab import cli, serve, workdir
from echomq_lab.workdir import WorkError, open_copies, reset

NOW = datetime(2026, 1, 5, 8, 50)
DATED = "01-cron-vs-interval.2026-01-05T0850"


@pytest.fixture
def notebooks(tmp_path: Path) -> Path:
    """What ships: a hub, a notebook, a picture, and litter that does not."""
    folder = tmp_path / "notebooks"
    for name in ("00-hub.ipynb", "01-cron-vs-interval.ipynb", "pictures/rail.svg", ".ipynb_checkpoints/x.ipynb"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(
            f'{{"cells": [], "metadata": {{"name": "{name}"}}, "nbformat": 4, "nbformat_minor": 5}}'
        )
    return folder


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "lab-work"


def listing(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def clone_in(folder: Path) -> Path:
    """A folder with a Makefile that notes what it is asked for, as a shell has read it."""
    clone = folder / "clone"
    clone.mkdir()
    (clone / "Makefile").write_text('lab reset:\n\t@for word in $@ $(ARGS); do echo "$$word"; done >>log\n')
    return clone


def test_open_copies_what_is_missing_and_keeps_what_is_there(
    notebooks: Path, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert open_copies(work, notebooks) == []
    assert listing(work) == ["00-hub.ipynb", "01-cron-vs-interval.ipynb", "pictures/rail.svg"]
    assert open_copies(work, notebooks) == []

    (work / "01-cron-vs-interval.ipynb").write_text("mine")
    (work / "pictures" / "rail.svg").write_text("mine too")
    (work / "00-hub.ipynb").unlink()
    monkeypatch.setattr(workdir, "PROJECT", clone := clone_in(tmp_path))
    monkeypatch.setattr(workdir, "WORK", work)
    assert open_copies(work, notebooks) == [
        f"kept your 01-cron-vs-interval.ipynb; `make -C {clone} reset ARGS=01` brings a fresh copy",
        f"kept your pictures/rail.svg; `make -C {clone} reset ARGS=pictures/rail.svg` brings a fresh copy",
    ]
    assert (work / "01-cron-vs-interval.ipynb").read_text() == "mine"
    assert (work / "00-hub.ipynb").read_bytes() == (notebooks / "00-hub.ipynb").read_bytes()


def test_a_link_that_leads_nowhere_is_kept_too(notebooks: Path, work: Path) -> None:
    work.mkdir()
    (work / "00-hub.ipynb").symlink_to("nowhere")
    (told,) = open_copies(work, notebooks)
    assert told.startswith("kept your 00-hub.ipynb; `")
    assert (work / "00-hub.ipynb").is_symlink()


def test_the_command_that_resets_works_from_any_folder_on_any_folder(
    notebooks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workdir, "PROJECT", clone := clone_in(tmp_path))
    elsewhere = tmp_path / "it's mine"
    open_copies(elsewhere, notebooks)
    (elsewhere / "00-hub.ipynb").write_text("mine")
    (told,) = open_copies(elsewhere, notebooks)
    found = re.fullmatch(r"kept your 00-hub\.ipynb; `(.*)` brings a fresh copy", told)
    assert found
    subprocess.run(found[1], shell=True, cwd="/", stdout=subprocess.DEVNULL, check=True, timeout=60)
    assert (clone / "log").read_text().splitlines() == ["reset", "00", "--dir", str(elsewhere)]


def test_where_there_is_no_clone_or_conda_has_its_own_path_other_words_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workdir, "PROJECT", tmp_path)
    assert workdir.command("open") == "make lab (in a clone of the lab)"
    monkeypatch.setattr(workdir, "CONDA", True)
    assert workdir.command("reset", "00", "--dir", "/a b") == "echomq-lab reset 00 --dir '/a b'"


@pytest.mark.parametrize("which", ["01", "1", "01-cron-vs-interval", "01-cron-vs-interval.ipynb"])
def test_reset_keeps_yours_under_a_dated_name(which: str, notebooks: Path, work: Path) -> None:
    open_copies(work, notebooks)
    yours = work / "01-cron-vs-interval.ipynb"
    for turn, kept in enumerate([f"{DATED}.ipynb", f"{DATED}-2.ipynb", f"{DATED}-3.ipynb"]):
        yours.write_text(f"mine {turn}")
        assert reset(which, NOW, work, notebooks) == (
            f"01-cron-vs-interval.ipynb is fresh again; yours is {kept} (reload the notebook if it is open)"
        )
        assert (work / kept).read_text() == f"mine {turn}"
        assert yours.read_bytes() == (notebooks / yours.name).read_bytes()
    assert len(listing(work)) == 6


def test_reset_of_a_fresh_or_missing_copy(notebooks: Path, work: Path) -> None:
    assert reset("01", NOW, work, notebooks) == "copied a fresh 01-cron-vs-interval.ipynb"
    assert reset("01", NOW, work, notebooks) == "01-cron-vs-interval.ipynb is as shipped: nothing to do"
    assert listing(work) == ["01-cron-vs-interval.ipynb"]


@pytest.mark.parametrize("which", ["7", "hub", "../01", "", "01-", "\uff11"])
def test_reset_of_what_did_not_ship_lists_what_did(which: str, notebooks: Path, work: Path) -> None:
    with pytest.raises(WorkError) as caught:
        reset(which, NOW, work, notebooks)
    assert str(caught.value) == f"there is no notebook {which!r}; choose from 00-hub, 01-cron-vs-interval"
    assert not work.exists()


def test_a_number_that_two_notebooks_bear_is_no_choice(notebooks: Path, work: Path) -> None:
    (notebooks / "01-again.ipynb").write_text("{}")
    with pytest.raises(WorkError, match="'01' is more than one notebook; choose from 01-again, 01-cron-vs-interval"):
        reset("01", NOW, work, notebooks)


def test_without_notebooks_the_way_out_is_told(tmp_path: Path, work: Path) -> None:
    with pytest.raises(WorkError, match=r"there are no notebooks in .*; run `make lab` in a clone of the lab"):
        open_copies(work, tmp_path / "notebooks")


def test_a_file_or_a_link_named_lab_work_is_told(notebooks: Path, work: Path, tmp_path: Path) -> None:
    work.write_text("a file")
    with pytest.raises(WorkError, match="lab-work is a file; move it away"):
        open_copies(work, notebooks)
    work.unlink()
    work.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkError, match="lab-work is a symbolic link"):
        open_copies(work, notebooks)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PermissionError(13, "Permission denied")])
def test_a_full_or_closed_disk_is_told_and_nothing_has_moved(
    error: OSError, notebooks: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_copies(work, notebooks)
    (work / "01-cron-vs-interval.ipynb").write_text("mine")

    def refuse(_: int) -> None:
        raise error

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(WorkError, match=f"cannot keep your notebooks in .*: {error.strerror}"):
        reset("01", NOW, work, notebooks)
    assert (work / "01-cron-vs-interval.ipynb").read_text() == "mine"
    assert listing(work) == ["00-hub.ipynb", "01-cron-vs-interval.ipynb", "pictures/rail.svg"]


def test_where_hard_links_are_not_to_be_had_it_works_all_the_same(
    notebooks: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    open_copies(work, notebooks)
    (work / "01-cron-vs-interval.ipynb").write_text("mine")
    open_copies(work, notebooks)
    assert (work / "01-cron-vs-interval.ipynb").read_text() == "mine"
    reset("01", NOW, work, notebooks)
    assert listing(work) == [
        "00-hub.ipynb",
        f"{DATED}.ipynb",
        "01-cron-vs-interval.ipynb",
        "pictures/rail.svg",
    ]


def test_a_save_between_the_two_moves_of_a_reset_is_not_lost(
    notebooks: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_copies(work, notebooks)
    yours = work / "01-cron-vs-interval.ipynb"
    yours.write_text("mine")
    replace = os.replace

    def replace_and_save(source: Path, target: Path) -> None:
        replace(source, target)
        yours.write_text("saved meanwhile")

    monkeypatch.setattr("os.replace", replace_and_save)
    with pytest.raises(WorkError, match="was saved again meanwhile"):
        reset("01", NOW, work, notebooks)
    assert yours.read_text() == "saved meanwhile"
    assert (work / f"{DATED}.ipynb").read_text() == "mine"


def test_two_opens_at_once_leave_whole_files(notebooks: Path, work: Path) -> None:
    threads = [threading.Thread(target=open_copies, args=(work, notebooks)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert listing(work) == ["00-hub.ipynb", "01-cron-vs-interval.ipynb", "pictures/rail.svg"]
    assert all((work / name).read_bytes() == (notebooks / name).read_bytes() for name in listing(work))


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        ([], 2, "the following arguments are required: COMMAND"),
        (["opne"], 2, "invalid choice: 'opne'"),
        (["open", "--port", "0"], 2, "a port is a number from 1 to 65535, not '0'"),
        (["open", "--port", "http"], 2, "a port is a number from 1 to 65535, not 'http'"),
        (["reset"], 2, "the following arguments are required: NN"),
        (["reset", "77"], 2, "echomq-lab: there is no notebook '77'; choose from 00-hub, 01-cron-vs-interval"),
    ],
)
def test_a_mistake_is_one_line_and_no_traceback(
    argv: list[str],
    code: int,
    said: str,
    notebooks: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(workdir, "NOTEBOOKS", notebooks)
    try:
        got: object = cli.main(argv)
    except SystemExit as left:
        got = left.code
    assert got == code
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_reset_by_command(
    notebooks: Path, work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(workdir, "NOTEBOOKS", notebooks)
    assert cli.main(["reset", "01", "--dir", str(work)]) == 0
    assert capsys.readouterr().out == "copied a fresh 01-cron-vs-interval.ipynb\n"


def test_ctrl_c_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(workdir, "reset", interrupt)
    assert cli.main(["reset", "01"]) == 130
    assert capsys.readouterr() == ("", "")


def test_help_and_version_load_nothing_of_the_lab() -> None:
    program = (
        "import sys; from echomq_lab.cli import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    version, loaded = done.stdout.splitlines()
    assert re.fullmatch(r"echomq-lab \d+\.\d+\.\d+", version)
    assert not {"jupyterlab", "redis", "rich", "matplotlib"}.intersection(loaded.split())


@pytest.mark.parametrize(("euid", "allowed"), [(0, True), (1000, False)])
def test_root_is_allowed_where_it_is_root(euid: int, allowed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: euid)
    line = serve.flags(Path("lab-work"), port=8888, browser=False)
    assert ("--ServerApp.allow_root=True" in line) is allowed
    assert "--ServerApp.ip=127.0.0.1" in line


# Where the tests run in a shell's background, Ctrl-C is ignored from birth on.
PROGRAM = """
import signal, sys, echomq_lab.workdir as workdir
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
workdir.NOTEBOOKS = Path(sys.argv[1])
from echomq_lab.cli import main
sys.exit(main(sys.argv[2:]))
"""


@contextlib.contextmanager
def lab(notebooks: Path, work: Path, port: int, **environ: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A running `echomq-lab open --no-browser`, and what it printed up to its last line of greeting."""
    command = [sys.executable, "-c", PROGRAM, str(notebooks), "open", "--no-browser"]
    with subprocess.Popen(
        [*command, "--dir", str(work), "--port", str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environ},
    ) as process:
        # A server that never answers ends here, and the lines below with it.
        watchdog = threading.Timer(90, process.kill)
        watchdog.start()
        try:
            assert process.stdout is not None
            printed = []
            for line in process.stdout:
                printed.append(line.rstrip("\n"))
                if line.startswith("Ctrl-C"):
                    break
            yield process, printed
        finally:
            watchdog.cancel()
            process.kill()


def status(url: str) -> tuple[int, str]:
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=30) as answer:
            return answer.status, answer.url
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.url or ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def said_in_a_terminal(url: str, line: str) -> list[str]:
    """What a terminal of this JupyterLab prints for a line."""
    port, token = re.findall(r"127\.0\.0\.1:(\d+)/.*token=(\w+)", url)[0]
    headers = {"Authorization": f"token {token}"}

    async def talk() -> str:
        client = AsyncHTTPClient(force_instance=True)
        made = await client.fetch(
            f"http://127.0.0.1:{port}/api/terminals", method="POST", body="{}", headers=headers, request_timeout=30
        )
        name = json.loads(made.body)["name"]
        socket = await websocket_connect(
            HTTPRequest(f"ws://127.0.0.1:{port}/terminals/websocket/{name}", headers=headers)
        )
        # Written in two pieces: the terminal echoes the line, and only the shell puts them together.
        await socket.write_message(json.dumps(["stdin", f"echo beg''un; {line}; echo en''ded\r"]))
        text = ""
        while "ended" not in text:
            kind, *content = json.loads(await asyncio.wait_for(socket.read_message(), 30) or "[]")
            text += content[0] if kind == "stdout" else ""
        socket.close()
        return text

    printed = asyncio.run(talk()).replace("\r", "")
    return printed.partition("begun\n")[2].partition("ended")[0].splitlines()


def test_jupyterlab_answers_with_its_token_alone_and_stops_at_once(notebooks: Path, work: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    stale = home / ".jupyter"
    stale.mkdir(parents=True)
    (stale / "jupyter_server_config.py").write_text("c.ServerApp.ip = '0.0.0.0'\nc.ServerApp.nonsense = import_me\n")
    (stale / "jupyter_server_config.json").write_text('{"IdentityProvider": {"token": ""}}')
    other = home / "share" / "kernels" / "python3" / "kernel.json"
    other.parent.mkdir(parents=True)
    other.write_text('{"argv": ["another-python"], "display_name": "Another", "language": "python"}')
    share = str(home / "share")
    strangers = {"HOME": str(home), "PYTHONPATH": share, "JUPYTER_DATA_DIR": share, "JUPYTER_PATH": share}
    with lab(notebooks, work, free_port(), **strangers) as (server, printed):
        assert len(printed) == 2, printed
        url = printed[0].removeprefix("Open this in a browser: ")
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/lab/tree/00-hub\.ipynb\?token=[0-9a-f]{48}", url)
        assert status(url)[0] == 200
        assert "/login" in status(url.partition("?")[0])[1]
        assert status(url.replace("/lab/tree/", "/api/contents/").partition("?")[0])[0] == 403
        with urllib.request.urlopen(url.replace("/lab/tree/00-hub.ipynb", "/api/kernelspecs"), timeout=30) as answer:
            assert "another-python" not in json.load(answer)["kernelspecs"]["python3"]["spec"]["argv"]
        asks = "/lab/api/settings/@jupyterlab/apputils-extension:notification"
        with urllib.request.urlopen(url.replace("/lab/tree/00-hub.ipynb", asks), timeout=30) as answer:
            asked = json.load(answer)["schema"]["properties"]
            assert (asked["fetchNews"]["default"], asked["checkForUpdates"]["default"]) == ("false", False)
        command = Path(sysconfig.get_path("scripts")) / "echomq-lab"
        assert said_in_a_terminal(url, "command -v echomq-lab") == [str(command)]
        server.send_signal(signal.SIGTERM)
        assert server.stdout is not None
        assert server.stdout.read() == ""
        assert server.wait(30) == 0
    assert [path.name for path in stale.iterdir() if path.name.startswith("lab")] == []


def test_on_a_taken_port_jupyterlab_takes_the_next_and_ctrl_c_stops_it(notebooks: Path, work: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with lab(notebooks, work, port) as (server, printed):
            note, url = printed[0], printed[1].removeprefix("Open this in a browser: ")
            found = re.fullmatch(rf"port {port} is taken, so this is on (\d+)", note)
            assert found
            assert f"127.0.0.1:{found[1]}/" in url
            assert status(url)[0] == 200
            server.send_signal(signal.SIGINT)
            assert server.wait(30) == 0


@pytest.mark.parametrize(
    ("shell", "code", "told"),
    [
        ("trace >&-", 0, ""),
        ("trace >/dev/full", 1, "echomq-lab: cannot write: No space left on device\n"),
        ("reset 日本", 2, r"echomq-lab: there is no notebook '\u65e5\u672c'"),
    ],
    ids=["closed", "full", "few letters"],
)
def test_an_output_that_takes_nothing_is_no_traceback(shell: str, code: int, told: str) -> None:
    if "full" in shell and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    ran = subprocess.run(
        ["sh", "-c", f"exec {shlex.quote(sys.executable)} -m echomq_lab {shell}"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert (ran.returncode, "Traceback" in ran.stderr) == (code, False)
    assert ran.stderr.startswith(told) if told else ran.stderr == ""
