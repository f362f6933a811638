"""The grading room by itself: each wall stands, the room ends with the grader, and nothing piles up in it."""

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redis.connection import Connection as RedisConnection

from echomq_lab.checks.exercises import IDS, exercise
from echomq_lab.checks.judge import judge
from echomq_lab.checks.plain import pack, unpack
from echomq_lab.checks.pupil import SilenceError
from echomq_lab.grading import believe, cell_walls, resp
from echomq_lab.grading.grade import Plan, grade, printable
from echomq_lab.grading.pupil import SeatedPupil
from echomq_lab.grading.room import Room
from echomq_lab.grading.server import Server
from echomq_lab.grading.store import Servers, Store
from echomq_lab.store import VALKEY
from tests.grading_room import a_room, descendants, needs_isolation, soon
from tests.test_answers import ALL, Answer, has_its_verdict, name

TOP = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def room() -> Iterator[Room]:
    with a_room() as room:
        yield room


def told(room: Room, code: str) -> Any:
    """What a student's code leaves under the name `told`."""
    with room.seat() as pupil:
        (ran,) = pupil.cells([("cell", textwrap.dedent(code))])
        assert ran["raised"] is None, ran
        return unpack(pupil.ask({"do": "value", "name": "told"})["said"])


WALLS = {
    "is nobody": ("import os\ntold = os.getuid(), os.getgid()", (65534, 65534)),
    "is the first of its processes": ("import os\ntold = os.getpid(), os.getppid()", (1, 0)),
    "has another host name": ("import os\ntold = os.uname().nodename", "grading"),
    "sees no process": ("import os\ntold = os.listdir('/proc')", []),
    "sees nothing of /sys": ("import os\ntold = os.path.exists('/sys')", False),
    "sees nobody's files": (
        """
        import os, sys
        import echomq_lab
        own = (sys.prefix, sys.base_prefix, echomq_lab.__file__)
        told = [
            each
            for place in ("/home", "/root", "/var", "/opt", "/mnt", "/srv", "/tmp", "/etc/passwd", "/etc/shadow")
            for each in ([place] if os.path.isfile(place) else [f"{place}/{name}" for name in os.listdir(place)]
                         if os.path.exists(place) else [])
            if not any(path.startswith(each + "/") or path == each for path in own)
        ]
        """,
        [],
    ),
    "sees of /etc what names no account": (
        "import os\ntold = sorted(set(os.listdir('/etc')) - {'fonts', 'ld.so.cache', 'localtime'})",
        [],
    ),
    "sees no devices of the machine's": (
        """
        import os
        usual = "console core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero"
        told = sorted(set(os.listdir("/dev")) - set(usual.split()))
        """,
        [],
    ),
    "has an empty place to scratch in": ("import os\ntold = os.listdir('/run')", []),
    "has two lines and nothing else open": (
        """
        import os
        told = []
        for number in range(64):
            try:
                told.append(os.fstat(number).st_mode >> 12)
            except OSError:
                pass
        """,
        [2, 2, 2, 12, 12],
    ),
    "may write no file": ("import resource\ntold = resource.getrlimit(resource.RLIMIT_FSIZE)", (0, 0)),
    "leaves no core": ("import resource\ntold = resource.getrlimit(resource.RLIMIT_CORE)", (0, 0)),
    "opens few files": ("import resource\ntold = resource.getrlimit(resource.RLIMIT_NOFILE)", (64, 64)),
    "computes for so long": ("import resource\ntold = resource.getrlimit(resource.RLIMIT_CPU)", (40, 40)),
    "knows the environment that everybody has": (
        """
        import os
        usual = "HOME LANG LC_CTYPE MPLCONFIGDIR OMP_NUM_THREADS OPENBLAS_NUM_THREADS PATH PWD TZ"
        usual += " PYTHONHASHSEED PYTHONPATH"
        told = sorted(set(os.environ) - set(usual.split()))
        """,
        [],
    ),
    "lives far from UTC": ("import time\ntold = time.tzname", ("NST", "NDT")),
}


@pytest.mark.parametrize("wall", WALLS)
def test_each_wall_stands(wall: str, room: Room) -> None:
    code, expected = WALLS[wall]
    assert told(room, code) == expected


def test_every_call_that_is_not_allowed_is_refused(room: Room) -> None:
    """By number, whatever the kernel has: a call that is let through with bad arguments fails otherwise."""
    column = ("x86_64", "aarch64").index(os.uname().machine)
    allowed = {numbers[column] for numbers in cell_walls._ALLOWED.values()}
    allowed |= {numbers[column] for numbers in cell_walls._IN_PARTS}
    code = f"""
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    told = []
    # 335 and 336 are the kernel's own, for its probes: no filter sees them, and whoever else calls them gets nothing.
    for number in sorted(set(range(1024)) - {{335, 336}} - {allowed!r}):
        answer = libc.syscall(ctypes.c_long(number), -1, -1, -1, -1, -1, -1)
        if answer != -1 or ctypes.get_errno() != (38 if number == 435 else 1):
            told.append(number)
    """
    assert told(room, code) == []


def test_the_numbers_of_the_calls_are_those_of_the_kernel_s_headers() -> None:
    headers = ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm-generic/unistd.h")
    if not all(map(os.path.exists, headers)):
        pytest.skip("the kernel's headers are not here: apt-get install linux-libc-dev")
    tables = [
        dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text("ascii"))) for header in headers
    ]
    tables[1] |= {"newfstatat": tables[1]["fstatat"]}
    parts = zip(("fcntl", "ioctl"), cell_walls._IN_PARTS, strict=True)
    for call, numbers in [*cell_walls._ALLOWED.items(), *parts, ("clone3", cell_walls._MISSING)]:
        assert [None if number is None else str(number) for number in numbers] == [
            table.get(call) for table in tables
        ], call


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_lets_through_what_is_listed_and_nothing_else(machine: str) -> None:
    steps = cell_walls.program(machine)
    column = ("x86_64", "aarch64").index(machine)
    arch = cell_walls._AUDIT_ARCH[machine]

    def answer(number: int, second: int = 0, arch: int = arch) -> int:
        at, held = 0, 0
        words = {0: number, 4: arch, 24: second}
        while True:
            operation, yes, no, operand = steps[at]
            if operation == 0x06:
                return operand
            if operation == 0x20:
                held, at = words[operand], at + 1
            else:
                at += 1 + (yes if held == operand else no)

    parts = {numbers[column]: allowed for numbers, allowed in cell_walls._IN_PARTS.items()}
    allowed = {numbers[column] for numbers in cell_walls._ALLOWED.values()}
    for number in [*range(600), 0x40000000 + 57, 0xFFFFFFFF]:
        expected = cell_walls._ALLOW if number in allowed else 0x50026 if number == 435 else 0x50001
        assert answer(number, 0x7FFF) == expected, number
    for number, seconds in parts.items():
        assert {second for second in range(0x6000) if answer(number, second) == cell_walls._ALLOW} == set(seconds)
    assert answer(0, arch=0x40000003) == cell_walls._KILL
    assert max(max(yes, no) for _, yes, no, _ in steps) < 256
    assert len(steps) < 4096


def test_nothing_of_the_grader_s_is_in_a_student_s_memory(room: Room) -> None:
    """Every page that is mapped near any object is read: what is not mapped is told by the pipe."""
    secret = "in-the-memory-of-the-grader-" + "only"
    os.environ["GRADING_TEST_SECRET"] = secret
    backwards = secret[::-1]
    try:
        found = told(
            room,
            f"""
            import ctypes, gc, os
            libc = ctypes.CDLL(None)
            backwards = {backwards!r}
            ours, theirs = os.pipe()
            pages = {{id(each) >> 12 for each in gc.get_objects()}}
            pages |= {{page + off for page in set(pages) for off in range(-16, 17)}}
            told, read = [], 0
            for page in sorted(pages):
                if libc.write(theirs, ctypes.c_void_p(page << 12), ctypes.c_size_t(4096)) == 4096:
                    read += 1
                    if backwards.encode() in os.read(ours, 4096)[::-1]:
                        told.append(page)
            told.append(read > 1000)
            """,
        )
    finally:
        del os.environ["GRADING_TEST_SECRET"]
    assert found == [True]


def test_memory_and_time_are_bounded(room: Room) -> None:
    with room.seat(memory=1 << 26, cpu_s=1) as pupil:
        (ran,) = pupil.cells([("memory", "held = bytearray(1 << 27)")])
        assert ran["raised"]["type"] == "MemoryError"
        with pytest.raises(SilenceError, match="the process that ran it ended"):
            pupil.cells([("loop", "while True: pass")])
    with room.seat() as pupil:
        assert pupil.cells([("next", "told = 1")])[0]["raised"] is None


def test_a_seat_s_death_leaves_the_room_usable(room: Room) -> None:
    for end in ("import os; os._exit(3)", "import ctypes; ctypes.string_at(8)"):
        with room.seat() as pupil, pytest.raises(SilenceError, match="ended"):
            pupil.cells([("end", end)])
        assert told(room, "told = 7") == 7


def test_a_room_whose_warden_is_gone_is_opened_again() -> None:
    with a_room() as room:
        for pid, name in descendants(room._process.pid).items():
            if name.startswith("python"):
                os.kill(pid, signal.SIGKILL)
        room._process.wait(20)
        assert told(room, "told = 7") == 7


def test_nothing_piles_up_over_many_seats(room: Room) -> None:
    def now() -> tuple[int, int, int]:
        files = len(os.listdir("/proc/self/fd"))
        return files, len(descendants(room._process.pid)), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def warden() -> tuple[int, int]:
        pid = max(pid for pid, name in descendants(room._process.pid).items() if name.startswith("python"))
        (pages,) = re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
        return len(os.listdir(f"/proc/{pid}/fd")), int(pages)

    assert soon(lambda: len(descendants(room._process.pid)) == 2), descendants(room._process.pid)
    for number in range(220):
        if number == 20:
            assert soon(lambda: len(descendants(room._process.pid)) == 2), descendants(room._process.pid)
            before, inside = now(), warden()
        with room.seat() as pupil:
            pupil.cells([("cell", "told = 1")])
    assert soon(lambda: now()[0] <= before[0] and now()[1] <= before[1])
    assert now()[2] - before[2] < 4_000, "kibibytes more"
    assert warden()[0] == inside[0]
    assert warden()[1] - inside[1] < 4_000, "kibibytes more"


GRADER = """
import os, sys
from echomq_lab.grading.pupil import SeatedPupil
from echomq_lab.grading.room import Room
from echomq_lab.grading.server import Server
with Room() as room, room.seat() as pupil:
    server = Server().ready()
    pupil.cells([("cell", "told = 1")])
    print(os.getpid(), server.socket, flush=True)
    pupil.cells([("forever", "while True: pass")])
"""


def test_a_killed_grader_leaves_nobody_behind() -> None:
    needs_isolation()
    environment = os.environ | {"PYTHONPATH": str(TOP)}
    with subprocess.Popen([sys.executable, "-c", GRADER], stdout=subprocess.PIPE, text=True, env=environment) as grader:
        assert grader.stdout is not None
        pid, path = grader.stdout.readline().split()
        left = descendants(int(pid))
        assert {"bwrap", "valkey-server"} <= set(left.values()), left
        grader.kill()
    assert soon(lambda: not [each for each in left if alive(each, left[each])]), left
    Path(path).unlink(missing_ok=True)
    Path(path).parent.rmdir()


def alive(pid: int, name: str) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return f"({name}) Z" not in stat and f"({name})" in stat


def test_the_store_s_server_is_walled_in_as_well() -> None:
    needs_isolation()
    server = Server().ready()
    try:
        (pid,) = [pid for pid, name in descendants(server._process.pid).items() if name == "valkey-server"]
        mine = {name: os.readlink(f"/proc/self/ns/{name}") for name in ("net", "pid", "mnt", "ipc", "user")}
        assert [name for name, held in mine.items() if os.readlink(f"/proc/{pid}/ns/{name}") == held] == []
        assert server.admin.ping()
    finally:
        server.stop()
    assert not server.socket.parent.exists()


# What comes over the lines.

COMMANDS: dict[str, tuple[bytes, list[bytes] | type[Exception] | None]] = {
    "whole": (b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", [b"GET", b"k"]),
    "an empty word": (b"*2\r\n$3\r\nGET\r\n$0\r\n\r\n", [b"GET", b""]),
    "a word with a line's end": (b"*1\r\n$4\r\n\r\n\r\n\r\n", [b"\r\n\r\n"]),
    "not whole: count": (b"*2", None),
    "not whole: size": (b"*2\r\n$3", None),
    "not whole: word": (b"*2\r\n$3\r\nGE", None),
    "not whole: end": (b"*1\r\n$1\r\nk\r", None),
    "nothing": (b"", None),
    "no words": (b"*0\r\n", ValueError),
    "less than none": (b"*-1\r\n", ValueError),
    "a nil for a word": (b"*1\r\n$-1\r\n", ValueError),
    "too many": (b"*10001\r\n", ValueError),
    "too long": (b"*1\r\n$1048577\r\n", ValueError),
    "endless digits": (b"*" + b"9" * 100, ValueError),
    "inline": (b"PING\r\n", ValueError),
    "a sign": (b"*+1\r\n", ValueError),
    "a blank": (b"* 1\r\n", ValueError),
    "an underscore": (b"*1_0\r\n", ValueError),
    "other digits": ("*\u0661\r\n".encode(), ValueError),
    "a number for a word": (b"*1\r\n:1\r\n", ValueError),
    "a word that goes on": (b"*1\r\n$1\r\nkk\r\n", ValueError),
}


def lines(data: bytes) -> resp.Lines:
    """Lines over which this has come."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        found = resp.Lines(ours)
        sent = 0
        while sent < len(data):
            sent += theirs.send(data[sent : sent + 50_000])
            found.fill(5)
        return found


@pytest.mark.parametrize("which", COMMANDS)
def test_a_command_is_whole_or_awaited_or_none(which: str) -> None:
    data, expected = COMMANDS[which]
    if isinstance(expected, type):
        with pytest.raises(expected):
            lines(data).command()
    else:
        assert lines(data).command() == expected


WORDS = st.lists(st.binary(max_size=40), max_size=6).map(lambda words: [b"HSET", *words])


@given(st.lists(WORDS, min_size=1, max_size=4), st.data())
def test_commands_are_read_as_redis_py_packs_them(commands: list[list[bytes]], data: st.DataObject) -> None:
    packer = RedisConnection(protocol=2)
    packed = b"".join(b"".join(packer.pack_command(*words)) for words in commands)
    assert packed == b"".join(resp.command(words) for words in commands)
    cut = data.draw(st.integers(0, len(packed)))
    ours, theirs = socket.socketpair()
    found: list[list[bytes]] = []
    with ours, theirs:
        held = resp.Lines(ours)
        for part in filter(None, (packed[:cut], packed[cut:])):
            theirs.sendall(part)
            held.fill(5)
            while (words := held.command()) is not None:
                found.append(words)
    assert found == commands


@given(st.binary(max_size=200))
def test_no_bytes_upset_the_reader_of_commands(data: bytes) -> None:
    found = lines(data)
    try:
        while found.command() is not None:
            pass
    except ValueError:
        pass


REPLIES = st.recursive(
    st.sampled_from(
        [
            b"$-1\r\n",
            b"*-1\r\n",
            b"+OK\r\n",
            b"-ERR no\r\n",
            b":17\r\n",
            b"*0\r\n",
            b"_\r\n",
            b"#t\r\n",
            b",1.5\r\n",
            b"%0\r\n",
        ]
    )
    | st.binary(max_size=20).map(lambda text: b"$%d\r\n%b\r\n" % (len(text), text)),
    lambda each: (
        st.lists(each, max_size=4).map(lambda items: b"*%d\r\n" % len(items) + b"".join(items))
        | st.lists(each, max_size=4).map(lambda items: b"~%d\r\n" % len(items) + b"".join(items))
        | st.lists(each, max_size=2).map(lambda items: b"%%%d\r\n" % len(items) + b"".join(items + items))
    ),
    max_leaves=8,
)


@given(st.lists(REPLIES, min_size=1, max_size=3))
def test_replies_are_taken_whole_and_as_they_came(replies: list[bytes]) -> None:
    found = lines(b"".join(replies))
    assert [found.reply() for _ in replies] == replies
    assert found.reply() is None
    for reply in replies:
        assert lines(reply[:-1]).reply() is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda each: st.lists(each, max_size=4) | st.dictionaries(st.text(max_size=8), each, max_size=3),
    max_leaves=8,
)
PACKED = st.recursive(
    JSON,
    lambda each: (
        st.lists(each, max_size=3).map(lambda items: {"list": items})
        | st.lists(each, max_size=3).map(lambda items: {"tuple": items})
        | st.lists(st.tuples(each, each).map(list), max_size=3).map(lambda pairs: {"dict": pairs})
        | each.map(lambda item: {"odd": ["x", item]})
        | each.map(lambda item: {"bytes": item})
    ),
    max_leaves=8,
)
KEYS = ["said", "raised", "printed", "names", "ran", "kind", "type", "words", "line", "lab", "skipped", "most", "least"]
ANSWERS = st.dictionaries(st.sampled_from(KEYS), PACKED | st.lists(st.dictionaries(st.sampled_from(KEYS), PACKED)))
QUESTIONS = (
    {"do": "hide"},
    {"do": "names", "names": ["x"]},
    {"do": "value"},
    {"do": "call"},
    {"do": "act"},
    {"do": "cells", "cells": [["a", "b"]]},
)


@settings(max_examples=40)
@given(st.sampled_from(QUESTIONS), ANSWERS)
def test_whatever_is_answered_is_refused_or_comes_out_plain(question: dict[str, Any], answer: dict[str, Any]) -> None:
    try:
        found = believe.believed(question, believe.parsed(json.dumps(answer).encode()))
    except ValueError:
        return
    assert set(found) <= {"said", "raised", "printed", "names", "ran"}
    if "said" in found:
        assert pack_again(unpack(found["said"]))
    assert len(json.dumps(found)) < 1_000_000


def pack_again(value: object) -> bool:
    """Whether a value can be packed: it is one that a test of an exercise may look at."""
    return bool(json.dumps(pack(value))) and isinstance(repr(value), str)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers(),
    lambda each: (
        st.lists(each, max_size=4)
        | st.lists(each, max_size=4).map(tuple)
        | st.dictionaries(st.integers() | st.text() | st.tuples(st.integers()), each, max_size=3)
    ),
)


@given(PLAIN)
def test_what_an_honest_answer_packs_is_believed_as_it_is(value: object) -> None:
    packed = json.loads(json.dumps(pack(value)))
    assert believe.believed({"do": "value"}, {"said": packed}) == {"said": packed}


NONE_OF_THESE = {
    "no object": b"[]",
    "no JSON": b"{",
    "not a number": b'{"said": NaN}',
    "infinite": b'{"said": Infinity}',
    "no text": b'{"said": "\xff"}',
    "many digits": b'{"said": %b}' % (b"9" * 5_000),
    "deep": b'{"said": %b}' % (b"[" * 100_000),
    "nothing": b"",
}


@pytest.mark.parametrize("which", NONE_OF_THESE)
def test_a_line_that_is_no_answer(which: str) -> None:
    with pytest.raises((ValueError, RecursionError)):
        believe.parsed(NONE_OF_THESE[which])


PRINTABLE = {
    "Ein été": "Ein été",
    "two\nlines": "two\nlines",
    "\x1b[2J": r"\x1b[2J",
    "\ud800": r"\ud800",
    "\u202e": r"\u202e",
    "tab\there": r"tab\there",
    "x" * 3_000: "x" * 2_000 + "...",
}


@pytest.mark.parametrize("text", PRINTABLE)
def test_a_text_is_shown_without_doing_anything(text: str) -> None:
    assert printable(text) == PRINTABLE[text]
    printable(text).encode("utf-8")


@pytest.mark.soak
@pytest.mark.parametrize("answer", ALL, ids=name)
def test_each_answer_gets_in_the_room_the_verdict_it_gets_in_the_notebook(answer: Answer, room: Room) -> None:
    servers = Servers()

    def seated() -> SeatedPupil:
        pupil = room.seat(store)
        pupil.cells([("answer", answer.code)])
        return pupil

    store = Store(seated, servers)
    try:
        with seated() as pupil:
            has_its_verdict(answer, judge(exercise(answer.exercise), pupil, seed="a", rounds=3, stores=(VALKEY,)))
    finally:
        store.close()
        servers.close()


class Anything:
    """A pupil who answers anything that is believed: `said` in turn."""

    def __init__(self, said: list[Any]) -> None:
        self._said, self._asked = said, 0

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        if question["do"] == "hide":
            return {}
        if question["do"] == "names":
            return {
                "names": [
                    {"kind": self._kind(each), "type": "str", "shown": "", "takes": ""} for each in question["names"]
                ]
            }
        if question["do"] == "store":
            raise SilenceError("ended", "there is no store")
        return {"said": pack(self._said[self._asked % len(self._said)]), "printed": ""}

    def _kind(self, name: str) -> str:
        return (
            "value"
            if name.isupper() or name.endswith(("_ms", "_order", "naive", "guarded", "finish", "start"))
            else "function"
        )


HOSTILE = st.one_of(
    PLAIN,
    st.sampled_from(
        [10**39, -(10**39), 253_402_300_800_000, 1e300, -1e300, 2**63, True, [10**39] * 4, {"a": [1]}, b"\xff"]
    ),
    st.lists(st.integers(-(10**15), 10**15), max_size=6),
    st.integers(0, 253_402_300_799_999),
)


@pytest.mark.parametrize("exercise_id", IDS)
@given(said=st.lists(HOSTILE, min_size=1, max_size=3))
@settings(max_examples=25)
def test_no_answer_makes_a_check_stumble(exercise_id: str, said: list[Any]) -> None:
    verdict = judge(exercise(exercise_id), Anything(said))
    assert verdict.to_json()


GAP = "from datetime import datetime\ndef gap(a, b): return a + b\ndef next_interval(p, e): return gap(p, e)"
BELOW = [
    ("uses a name for something else", "gap = 5\ndef next_cron(e, n): ...", 4),
    ("imports another thing by a name", "import operator as gap\ndef next_cron(e, n): ...", 4),
    ("imports the same", "from datetime import datetime\ndef next_cron(e, n): ...", 4),
    ("is no Python", "gap = = 5", 4),
]


@pytest.mark.parametrize(("source", "earned"), [row[1:] for row in BELOW], ids=[row[0] for row in BELOW])
def test_an_answer_is_tried_without_what_stands_below_and_spoils_it(room: Room, source: str, earned: int) -> None:
    plan = Plan(1, (("a", GAP), ("b", source)), {"1.2": "a", "1.3": "b"})
    graded = grade("ada", "ada.ipynb", "", {1: plan}, (), room, "a seed of some length")
    assert {verdict.exercise: verdict.earned for verdict in graded.verdicts}["1.2"] == earned
