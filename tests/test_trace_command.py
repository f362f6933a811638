"""`echomq-lab trace`: the dive's numbers, the score that was stored, pictures whole or not at all, faults in a line."""

import contextlib
import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

from echomq_lab import cli, figures, repeat, scenario, trace_command
from echomq_lab.clock import MAX_MS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def run(*argv: str) -> tuple[object, str, str]:
    """Exit code, stdout and stderr of `echomq-lab trace`, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code: object = cli.main(["trace", *argv])
        except SystemExit as left:
            code = left.code
    return code, out.getvalue(), err.getvalue()


def traced(*argv: str) -> dict[str, Any]:
    code, out, err = run("--json", *argv)
    assert (code, err, out.count("\n"), out[-1:]) == (0, "", 1, "\n")
    found: dict[str, Any] = json.loads(out)
    return found


def shell(*argv: str | bytes, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "echomq_lab", "trace", *argv]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


def ms(iso: str) -> int:
    return (datetime.fromisoformat(iso) - EPOCH) // timedelta(milliseconds=1)


def at(time: str) -> int:
    """A time of the lab's day, or a day of January 2026 and a time."""
    day, _, clock = f"05 {time}".rpartition(" ")
    return ms(f"2026-01-{day[-2:]}T{clock}:00+00:00")


def test_the_command_prints_the_dives_verdicts_as_json() -> None:
    done = shell("--json", "--cron", "0 9 * * *", "--every", "900000", "--now", "08:50", "-n", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        '{"now_ms": 1767603000000, '
        '"cron": {"expr": "0 9 * * *", "tz": "UTC", "sentence": "At 09:00 AM", "next_ms": 1767603600000, '
        '"marks_ms": [1767603600000, 1767690000000, 1767776400000]}, '
        '"interval": {"every_ms": 900000, "next_ms": 1767603900000, '
        '"marks_ms": [1767603900000, 1767604800000, 1767605700000]}}\n'
    )
    assert json.loads(done.stdout)["interval"]["marks_ms"] == [at("09:05"), at("09:20"), at("09:35")]


def test_the_command_prints_the_readout_unless_it_is_told_otherwise() -> None:
    done = shell()
    assert (done.returncode, done.stderr) == (0, "")
    picture, verdicts, table = done.stdout.split("\n\n")
    assert picture.startswith("A clock rail with 2 lanes; now is Monday 5 January 2026, 08:50 UTC. Lane cron 0 9 * * *")
    assert verdicts.split("\n") == [
        "cron 0 9 * * * (At 09:00 AM): next run 09:00, in 10 minutes, a wall-clock slot.",
        "interval every_ms 900000 (every 15 minutes): next run 09:05, in 15 minutes, the previous run plus the gap.",
        "The registry holds: ZADD emq:{dive-1}:repeat 1767603900000 every-gap",
        "A cron slot would be: ZADD emq:{dive-1}:repeat 1767603600000 NAME",
    ]
    assert "  cron 0 9 * * *            09:00 UTC " in table
    assert "  interval every_ms 900000  09:05 UTC " in table
    assert table.count("\n  interval every_ms 900000  ") == 5


@pytest.mark.parametrize(
    ("argv", "now", "cron", "interval"),
    [
        ("", "08:50", ["09:00", "06 09:00", "07 09:00"], ["09:05", "09:20", "09:35"]),
        ("--now 09:00", "09:00", ["09:00", "06 09:00", "07 09:00"], ["09:15", "09:30", "09:45"]),
        ("--now 09:01", "09:01", ["06 09:00", "07 09:00", "08 09:00"], ["09:16", "09:31", "09:46"]),
        ("--now 2026-01-05T09:50+01:00", "08:50", ["09:00", "06 09:00", "07 09:00"], ["09:05", "09:20", "09:35"]),
        ("--now 1767603000000", "08:50", ["09:00", "06 09:00", "07 09:00"], ["09:05", "09:20", "09:35"]),
        ("--every 1h30m", "08:50", ["09:00", "06 09:00", "07 09:00"], ["10:20", "11:50", "13:20"]),
        ("--every 86400000", "08:50", ["09:00", "06 09:00", "07 09:00"], ["06 08:50", "07 08:50", "08 08:50"]),
        ("--tz Asia/Tokyo", "08:50", ["06 00:00", "07 00:00", "08 00:00"], ["09:05", "09:20", "09:35"]),
        ("--cron @hourly", "08:50", ["09:00", "10:00", "11:00"], ["09:05", "09:20", "09:35"]),
    ],
)
def test_next_runs(argv: str, now: str, cron: list[str], interval: list[str]) -> None:
    found = traced("-n", "3", *argv.split())
    assert found["now_ms"] == at(now)
    assert found["cron"]["marks_ms"] == [at(time) for time in cron]
    assert found["interval"]["marks_ms"] == [at(time) for time in interval]
    for lane in ("cron", "interval"):
        assert found[lane]["next_ms"] == found[lane]["marks_ms"][0]


@pytest.mark.parametrize(
    ("now", "slots"),
    [
        ("2026-03-28T12:00Z", ["2026-03-30T02:30+02:00", "2026-03-31T02:30+02:00"]),
        ("2026-10-24T12:00Z", ["2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00"]),
    ],
)
def test_the_zones_nights_are_the_wall_clocks(now: str, slots: list[str]) -> None:
    found = traced("--cron", "30 2 * * *", "--tz", "Europe/Berlin", "--now", now, "-n", "2")["cron"]
    assert found["marks_ms"] == [ms(slot) for slot in slots]
    assert (found["tz"], found["sentence"]) == ("Europe/Berlin", "At 02:30 AM, Europe/Berlin time")


@given(
    st.integers(0, MAX_MS - 10**12),
    st.integers(0, 23),
    st.integers(0, 59),
    st.integers(1, 10**10),
    st.integers(1, scenario.MOST_RUNS),
)
@settings(max_examples=40)
def test_any_daily_slot_and_any_gap_by_the_calendar(now_ms: int, hour: int, minute: int, every_ms: int, n: int) -> None:
    argv = ("--cron", f"{minute} {hour} * * *", "--every", str(every_ms), "--now", str(now_ms), "-n", str(n))
    found = traced(*argv)
    now = EPOCH + timedelta(milliseconds=now_ms)
    slot = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    first = slot if slot >= now else slot + timedelta(days=1)
    slots = [(first + timedelta(days=day) - EPOCH) // timedelta(milliseconds=1) for day in range(n)]
    assert found["cron"]["marks_ms"] == slots
    assert found["interval"] == {
        "every_ms": every_ms,
        "next_ms": now_ms + every_ms,
        "marks_ms": [now_ms + every_ms * number for number in range(1, n + 1)],
    }


def test_the_intervals_first_run_is_the_score_that_was_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    register = repeat.register

    def late(*args: Any) -> repeat.Registered:
        return register(*args[:5], args[5] + 7)

    monkeypatch.setattr(repeat, "register", late)
    assert traced("-n", "2")["interval"]["marks_ms"] == [at("09:05") + 7, at("09:20") + 7]


def test_a_store_that_the_environment_names_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECHOMQ_LAB_URL", "redis://nowhere.invalid:1/0")
    assert traced()["now_ms"] == at("08:50")


def test_a_png_holds_the_picture_and_its_description(tmp_path: Path) -> None:
    done = shell("--png", "rail.png", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "rail.png\n", "")
    with Image.open(tmp_path / "rail.png") as picture:
        picture.load()
        assert picture.size == (1480, 620)
        assert picture.getextrema() != ((255, 255),) * len(picture.getbands())
        assert "diamonds: 09:00; beyond the right edge: Tue 6 Jan 09:00" in picture.info["Description"]
        assert picture.info["Description"] == run()[1].partition("\n")[0]


def test_an_svg_holds_the_picture_and_its_description_and_takes_a_files_place(tmp_path: Path) -> None:
    (tmp_path / "kept.svg").write_text("earlier")
    (tmp_path / "rail.svg").symlink_to("kept.svg")
    path = str(tmp_path / "rail.svg")
    assert run("--svg", path) == (0, f"{path}\n", "")
    assert (tmp_path / "rail.svg").is_symlink()
    root = ElementTree.parse(tmp_path / "kept.svg").getroot()
    assert (root.tag, root.get("role")) == ("{http://www.w3.org/2000/svg}svg", "img")
    assert root.get("aria-label") == run()[1].partition("\n")[0]
    assert {"now", "cron-0", "interval-0"} <= {part.get("id") for part in root.iter()}
    assert sorted(os.listdir(tmp_path)) == ["kept.svg", "rail.svg"]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--png", "none/rail.png"], "--png must be a file that can be written, not 'none/rail.png'; No such file"),
        (["--svg", "folder.svg"], "--svg must be a file that can be written, not 'folder.svg'; Is a directory"),
        (["--svg", "file/rail.svg"], "--svg must be a file that can be written, not 'file/rail.svg'; Not a directory"),
        (["--png", "closed.png"], "--png must be a file that can be written, not 'closed.png'; Permission denied"),
        (["--png", "rail.svg"], "--png must be a file that ends in .png, not 'rail.svg'; try 'rail.png'"),
        (["--svg", "rail"], "--svg must be a file that ends in .svg, not 'rail'; try 'rail.svg'"),
        (["--svg", ""], "--svg must be a file that ends in .svg, not ''; try 'rail.svg'"),
        (["--svg", "a\0.svg"], r"--svg must be a file that can be written, not 'a\x00.svg'; "),
        (["--png", "x" * 300 + ".png"], "File name too long"),
    ],
)
def test_a_picture_that_cannot_be_written_leaves_nothing(
    argv: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "file").write_text("a file")
    (tmp_path / "closed.png").write_text("mine")
    access = os.access
    # Root may write everywhere: the answer is the one that others get.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "closed.png" and access(path, mode))
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*argv)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert sorted(os.listdir()) == ["closed.png", "file", "folder.svg"]
    assert Path("closed.png").read_text() == "mine"


def test_a_disk_that_fills_up_leaves_the_earlier_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(_: figures.Rail, path: Path) -> Path:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(figures.Rail, "save", half)
    (tmp_path / "rail.png").write_text("earlier")
    code, out, err = run("--png", str(tmp_path / "rail.png"))
    assert (code, out) == (2, "")
    assert err.endswith("; No space left on device\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("rail.png", "earlier")]


SPAN = "--every must be milliseconds or a span such as '15m', '1h30m', '250ms', not "
GAP = "--every must be a gap of 1 ms or more with run 5 before the year 10000, not "
NOW = "--now must be a millisecond, an ISO instant or a time of the lab's day, not "
COUNT = "-n must be a whole number from 1 to 20, not "
BAD = [
    (["--cron", "75 9 * * *"], "minutes run from 0 to 59; did you mean '15 9 * * *'?"),
    (["--cron=-1 9 * * *"], "echomq-lab: minute '-1' is not whole in '-1 9 * * *'; "),
    (["--cron", "-1 9 * * *"], "echomq-lab: minute '-1' is not whole in '-1 9 * * *'; "),
    (["--cron", "0 9\n* * *"], r"echomq-lab: '\n' is not read in '0 9\n* * *'; "),
    (["--cron", "^^ ^^"], "echomq-lab: '^^ ^^' has 2 fields; five fields are read: "),
    (["--cron", ""], "echomq-lab: '' has no fields; five fields are read: "),
    (["--cron", "\udcff"], r"echomq-lab: '\udcff' is not read; "),
    (["--cron", "9" * 5_000], "the expression has 5000 characters; an expression has at most 500"),
    (["--tz", ""], "tz '' is not known; tz is a key of the tz database such as 'Europe/Berlin'"),
    (["--tz", "Berlin"], "did you mean 'Europe/Berlin'?"),
    (["--tz", "../../etc/passwd"], "is not known; "),
    (["--tz", "a\r\nb\udcff"], r"tz 'a\r\nb\udcff' is not known; "),
    (["--every", "0"], f"{GAP}'0'; fifteen minutes are 900000, or 15m"),
    (["--every", "0m"], f"{GAP}'0m'"),
    (["--every", "9007199254740991"], f"{GAP}'9007199254740991'"),
    (["--every", "9" * 60 + "d"], f"{GAP}'999"),
    (["--every", "1e3"], f"{SPAN}'1e3'; try '15m'"),
    (["--every", "-1"], f"{SPAN}'-1'"),
    (["--every", "1.5"], f"{SPAN}'1.5'"),
    (["--every", "\uff19"], f"{SPAN}'"),
    (["--every", "9" * 5_000], f"{SPAN}'999"),
    (["--now", "nonsense"], f"{NOW}'nonsense'; try '08:50' or '2026-01-05T08:50:00Z'"),
    (["--now", "-5"], f"{NOW}'-5'"),
    (["--now", ""], f"{NOW}''"),
    (["--now", "24:00"], f"{NOW}'24:00'"),
    (["--now", "9" * 5_000], f"{NOW}'999"),
    (["--now", "1969-12-31T23:59Z"], "--now must be an instant of the years 1970 to 9999"),
    (["--now", str(MAX_MS), "--every", "1"], GAP),
    (["--now", str(MAX_MS - 60_000), "--every", "1"], "early enough to leave a slot of '0 9 * * *'"),
    (
        ["--now", "9999-12-31T23:50Z", "--every", "1m", "--cron", "* * * * *", "--tz", "Asia/Tokyo"],
        "--now must be early enough that a clock can show the runs, not '9999-12-31T23:50Z'; the calendar ends",
    ),
    (["-n", "0"], f"{COUNT}'0'"),
    (["-n", "-1"], f"{COUNT}'-1'"),
    (["-n", "21"], f"{COUNT}'21'"),
    (["-n", "1000000"], f"{COUNT}'1000000'"),
    (["-n", "9" * 5_000], f"{COUNT}'999"),
    (["-n", "five"], f"{COUNT}'five'"),
    (["--json", "--png", "x.png"], "echomq-lab trace: argument --png: not allowed with argument --json"),
    (["--png", "x.png", "--svg", "x.svg"], "echomq-lab trace: argument --svg: not allowed with argument --png"),
    (["--cron"], "echomq-lab trace: argument --cron: expected one argument"),
    (["--js"], "unrecognized arguments: --js"),
    (["a\nb\x1b[31m\udcff"], r"unrecognized arguments: a\nb\x1b[31m\udcff"),
]


@pytest.mark.parametrize(("argv", "said"), BAD, ids=[ascii(" ".join(argv)[:40]) for argv, _ in BAD])
def test_a_mistake_is_one_line(argv: list[str], said: str) -> None:
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert err.startswith("echomq-lab")
    assert said in err
    assert_one_line(err)


def assert_one_line(text: str) -> None:
    assert text.endswith("\n")
    assert text[:-1].isprintable()
    text.encode()


ANY_TEXT = st.one_of(
    st.text(max_size=30),
    st.text(st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF, categories=["Cs"]), max_size=3),
    st.text("0123456789 */,-:@.TZ\n\x00\u2028mshd", max_size=20),
    st.integers(-(10**20), 10**20).map(str),
    st.datetimes(timezones=st.sampled_from([None, UTC])).map(datetime.isoformat),
)


@given(st.sampled_from(["--cron", "--every", "--now", "--tz", "-n"]), ANY_TEXT, st.booleans())
@settings(max_examples=150)
@example("--now", "9999-12-31T23:59:59.999Z", False)
@example("--now", "0001-01-01", False)
@example("--now", "9999-12-31T23:59:59-23:59", True)
@example("--every", str(MAX_MS), True)
def test_whatever_is_typed_is_traced_or_refused_in_a_line(flag: str, text: str, as_json: bool) -> None:
    argv = [f"{flag}={text}" if flag.startswith("--") else f"{flag}{text}"]
    code, out, err = run(*argv, *["--json"] * as_json)
    if code == 0:
        assert err == ""
        assert out.endswith("\n")
        assert not as_json or json.loads(out)["cron"]["marks_ms"]
    else:
        assert (code, out) == (2, "")
        assert_one_line(err)


def test_bytes_that_are_no_text_are_a_line_too() -> None:
    done = shell(b"--cron", b"\xff\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "echomq-lab: '\\udcff' is not read in '\\udcff\\n'; fields are ASCII text, split by spaces and tabs\n"
    )


def test_a_path_that_is_no_text_is_told_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("--svg", "a\n\udcff.svg") == (0, "a\\n\\udcff.svg\n", "")
    assert os.listdir(os.fsencode(tmp_path)) == [b"a\n\xff.svg"]


def test_help_tells_the_bound_on_runs() -> None:
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    assert f"1 to {scenario.MOST_RUNS} (5)" in " ".join(out.split())


@pytest.mark.parametrize(
    ("argv", "unloaded"),
    [
        (["--help"], {"matplotlib", "ipywidgets", "numpy", "redis", "croniter"}),
        (["--json"], {"matplotlib", "ipywidgets"}),
        ([], {"matplotlib", "ipywidgets"}),
    ],
)
def test_nothing_is_loaded_that_is_not_needed(argv: list[str], unloaded: set[str]) -> None:
    program = (
        "import sys; from echomq_lab.cli import main\n"
        "try: main(['trace', *sys.argv[1:]])\n"
        "except SystemExit: pass\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *argv], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "echomq_lab" in loaded
    assert not unloaded & loaded


def test_a_reader_that_left_is_no_fault() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "echomq_lab", "trace"]
    with open(writer, "wb") as pipe:
        done = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, done.stderr) == (1, b"")


def test_ctrl_c_is_quiet_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(figures, "rail", interrupt)
    assert run("--png", str(tmp_path / "rail.png")) == (130, "", "")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(trace_command, "answer", interrupt)
    assert run() == (130, "", "")
