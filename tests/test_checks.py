"""The engine of the checks: whatever an answer is or does, one clear sentence comes back, and nothing else changes."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomq_lab import cadence, pump, repeat, scripts
from echomq_lab.checks import check, hint, instants, notebook, progress, pupil, saved
from echomq_lab.checks.desk import CONN, THE_QUEUE, Desk, call, command
from echomq_lab.checks.exercise import Exercise, Marks, Mistake, Name, Wrong
from echomq_lab.checks.exercise import Test as OneTest
from echomq_lab.checks.exercises import IDS, exercise
from echomq_lab.checks.judge import judge
from echomq_lab.checks.plain import MOST_VALUES, Odd, pack, unpack
from echomq_lab.checks.pupil import Forked
from echomq_lab.checks.verdict import Failure, Status, Verdict, summary
from echomq_lab.clock import LAB_DAY_MS
from echomq_lab.errors import ArgumentError, LabError

REGISTER = "return redis.call('EXISTS', KEYS[2])"


def next_cron(expr: str, now_ms: int) -> int:
    return now_ms


def verdict(exercise_id: str, **names: Any) -> Verdict:
    with Forked(names) as forked:
        return judge(exercise(exercise_id), forked)


@pytest.fixture(autouse=True)
def _no_memory_of_other_tests() -> Iterator[None]:
    yield
    notebook._verdicts.clear()
    notebook._given.clear()
    saved._ran.clear()


# What stands under a name before anything is asked


def told_stub(expr: str, now_ms: int) -> int:
    """Answers the earliest slot at or after now."""


FRAME: list[tuple[str, dict[str, Any], Status, str]] = [
    ("1.3", {}, Status.NOT_ANSWERED, "There is no next_cron here yet: run the answer cell."),
    (
        "1.3",
        {"next_cron": ...},
        Status.NOT_ANSWERED,
        "next_cron is still as shipped: write your answer in place of `...`.",
    ),
    ("1.3", {"next_cron": told_stub}, Status.NOT_ANSWERED, "next_cron is still as shipped"),
    ("1.3", {"next_cron": 5}, Status.WRONG, "next_cron must be a function that takes (expr, now_ms); it is an int."),
    (
        "1.3",
        {"next_cron": lambda expr: 5},
        Status.WRONG,
        "next_cron must take (expr, now_ms), 2 arguments; it takes (expr).",
    ),
    (
        "1.3",
        {"next_cron": lambda expr, *, now_ms: 5},
        Status.WRONG,
        "next_cron must take (expr, now_ms), 2 arguments; it takes (expr, *, now_ms).",
    ),
    ("1.3", {"next_cron": lambda expr, now_ms, tz: 5}, Status.WRONG, "next_cron must take (expr, now_ms), 2 arguments"),
    ("1.3", {"next_cron": lambda expr, now_ms, tz="UTC": 5}, Status.WRONG, "Now is itself a slot"),
    ("1.3", {"next_cron": lambda *both: 5}, Status.WRONG, "Now is itself a slot"),
    ("2.3", {"REGISTER_LUA": next_cron}, Status.WRONG, "REGISTER_LUA must be Lua text; it is a function."),
    ("2.3", {"REGISTER_LUA": b"return 1"}, Status.WRONG, "REGISTER_LUA must be Lua text; it is a bytes."),
    ("2.3", {"REGISTER_LUA": None}, Status.WRONG, "REGISTER_LUA must be Lua text; it is a NoneType."),
]


@pytest.mark.parametrize(("exercise_id", "names", "status", "says"), FRAME, ids=[row[3][:50] for row in FRAME])
def test_what_is_no_answer_is_told(exercise_id: str, names: dict[str, Any], status: Status, says: str) -> None:
    found = verdict(exercise_id, **names)
    assert found.failure is not None
    assert (found.status, found.failure.says[: len(says)]) == (status, says)


# What an answer may do


def raises(expr: str, now_ms: int) -> int:
    return 1 // 0


def asks(expr: str, now_ms: int) -> str:
    return input("now? ")


def floods(expr: str, now_ms: int) -> None:
    while True:
        print("x" * 10_000)


def exits(expr: str, now_ms: int) -> None:
    raise SystemExit(3)


def recurses(expr: str, now_ms: int) -> int:
    return recurses(expr, now_ms)


def prints(expr: str, now_ms: int) -> None:
    print(now_ms)


def uses_the_library(expr: str, now_ms: int) -> int:
    return cadence.Cron(expr).next_at(now_ms)


class Hostile:
    __class__ = int  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError


MISBEHAVED: list[tuple[str, Any, Status, str, str]] = [
    ("raise", raises, Status.WRONG, "Your answer stopped with an error.", "it raised ZeroDivisionError"),
    ("input", asks, Status.WRONG, "Your answer stopped: it calls input(), which nobody can answer here", "it calls"),
    ("flood", floods, Status.WRONG, "Your answer stopped: it prints without end", "it prints"),
    ("exit", exits, Status.WRONG, "Your answer stopped with an error.", "it raised SystemExit: 3"),
    ("recursion", recurses, Status.WRONG, "Your answer stopped with an error.", "it raised RecursionError"),
    (
        "huge",
        lambda expr, now_ms: list(range(10**6)),
        Status.WRONG,
        "The answer is no int.",
        "a list of 1,000,000 items",
    ),
    ("int", lambda expr, now_ms: 10**5000, Status.WRONG, "That int is far too large", "an int of about 5001 digits"),
    ("prints", prints, Status.WRONG, "The function returns nothing.", "None; it printed '"),
    ("hostile", lambda expr, now_ms: Hostile(), Status.WRONG, "The answer is no int.", "<int instance> (Hostile)"),
    (
        "library",
        uses_the_library,
        Status.WRONG,
        "Your answer stopped: the library's Cron is what this exercise",
        "the ",
    ),
    ("ended", lambda expr, now_ms: os._exit(0), Status.CRASHED, "Your answer was stopped: the process that ran it", ""),
    ("killed", lambda expr, now_ms: os.kill(os.getpid(), 11), Status.CRASHED, "Your answer was stopped: the proc", ""),
]


@pytest.mark.parametrize(
    ("answer", "status", "says", "came"), [row[1:] for row in MISBEHAVED], ids=[r[0] for r in MISBEHAVED]
)
def test_whatever_an_answer_does_one_sentence_is_told(answer: Any, status: Status, says: str, came: str) -> None:
    found = verdict("1.3", next_cron=answer)
    assert found.failure is not None
    assert found.status is status
    assert found.failure.says.startswith(says)
    assert found.failure.came.startswith(came)
    assert (found.earned < found.points, "Traceback" in found.to_text()) == (True, False)


def loops(expr: str, now_ms: int) -> int:
    while True:
        pass


def sleeps(expr: str, now_ms: int) -> int:
    time.sleep(1_000)
    return now_ms


ENDLESS: list[tuple[str, dict[str, Any]]] = [
    ("1.3", {"next_cron": loops}),
    ("1.3", {"next_cron": sleeps}),
    ("2.3", {"REGISTER_LUA": "while true do end"}),
    ("2.3", {"REGISTER_LUA": "redis.call('SET', KEYS[1], 1) while true do end"}),
]


@pytest.mark.parametrize(("exercise_id", "names"), ENDLESS)
def test_an_answer_without_end_is_stopped(
    monkeypatch: pytest.MonkeyPatch, exercise_id: str, names: dict[str, Any]
) -> None:
    monkeypatch.setattr(pupil, "LIMIT_S", 0.3)
    found = verdict(exercise_id, **names)
    assert (found.status, found.earned) == (Status.TIMED_OUT, 0)
    assert found.failure is not None
    assert found.failure.says == "Your answer was stopped: no answer within 0.3 seconds: is there a loop without end?"
    assert found.failure.given != ""


def test_the_limits_leave_a_check_within_five_seconds() -> None:
    assert max(pupil.LIMIT_S, pupil.TOTAL_S) <= 4


def test_an_endless_script_on_valkey_costs_its_server_and_the_next_check_has_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pupil, "LIMIT_S", 0.5)
    # fakeredis does not know the function that tells the server's version, so this ends there.
    script = "if redis.REDIS_VERSION then redis.call('SET', KEYS[1], 1) while true do end end " + REGISTER
    names = {"REGISTER_LUA": script, "check": check}
    first = notebook._valkey()
    assert first is not None
    found = eval("check('2.3')", names)
    assert found.status in (Status.TIMED_OUT, Status.WRONG)
    second = notebook._valkey()
    assert second is not None
    if found.status is Status.TIMED_OUT:
        assert second.url != first.url
    assert eval("check('2.3')", names | {"REGISTER_LUA": "return 1"}).status is Status.WRONG
    second.kill()
    notebook._valkey.cache_clear()


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pupil, "MEMORY", 1 << 26)
    found = verdict("1.3", next_cron=lambda expr, now_ms: bytearray(1 << 28))
    assert found.failure is not None
    assert found.failure.came == "it raised MemoryError"


def test_what_an_answer_starts_is_stopped_with_it() -> None:
    running: list[str] = []

    def starts(expr: str, now_ms: int) -> int:
        running.append(str(subprocess.Popen(["sleep", "1000"]).pid))
        return int(running[-1])

    with Forked({"starts": starts}) as forked:
        heard = Desk(forked).call("starts", "", 0)
        assert Path(f"/proc/{heard.value}/stat").exists() or not Path("/proc").exists()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{heard.value}/stat").exists() and time.monotonic() < deadline:
        if Path(f"/proc/{heard.value}/stat").read_text().split()[2] == "Z":
            break
        time.sleep(0.01)
    assert time.monotonic() < deadline


def test_what_an_answer_changes_stays_its_own() -> None:
    held: list[int] = []

    def changes(expr: str, now_ms: int) -> int:
        held.append(1)
        os.environ["ECHOMQ_CHANGED"] = "yes"
        os.chdir("/")
        return len(held)

    before = Path.cwd()
    with Forked({"changes": changes}) as forked:
        forked.ask({"do": "hide", "what": ["Cron", "register", "advance", "sweep"]})
        assert [Desk(forked).call("changes", "", 0).value for _ in range(2)] == [1, 2]
    assert (held, os.environ.get("ECHOMQ_CHANGED"), Path.cwd()) == ([], None, before)
    assert cadence.Cron("* * * * *").next_at(0) == 0
    assert scripts.source("register") != ""
    assert pump.sweep.__name__ == "sweep"
    assert os.environ.get("TZ") != pupil.ZONE


HIDDEN = [
    (
        "Cron",
        lambda: cadence.Cron("* * * * *").marks(0, 1),
        "the library's Cron is what this exercise asks you to write",
    ),
    ("register", lambda: scripts.source("register"), "the library's script 'register' is what this exercise"),
    ("advance", lambda: scripts.source("advance"), "the library's script 'advance' is what this exercise"),
    ("sweep", lambda: pump.sweep(None, "q"), "the library's sweep is what this exercise asks you to write"),  # type: ignore[arg-type]
    ("sweep", lambda: pump.sweep_atomic(None, "q"), "the library's sweep is what this exercise asks you"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("what", "use", "words"), HIDDEN)
def test_what_an_exercise_asks_for_is_hidden(what: str, use: Callable[[], Any], words: str) -> None:
    with Forked({"use": use}) as forked:
        assert Desk(forked).call("use").raised is None or what == "sweep"
        forked.ask({"do": "hide", "what": [what]})
        raised = Desk(forked).call("use").raised
    assert raised is not None
    assert raised.words.startswith(words)


def test_local_time_shows_in_the_fork() -> None:
    with Forked({"hour": lambda: datetime.fromtimestamp(0).hour * 60 + datetime.fromtimestamp(0).minute}) as forked:
        assert Desk(forked).call("hour").value == (24 * 60 - 210) % (24 * 60)


def test_once_silent_a_pupil_stays_silent() -> None:
    with Forked({"end": lambda: os._exit(1)}) as forked:
        for _ in range(2):
            with pytest.raises(pupil.SilenceError, match="the process that ran it ended"):
                Desk(forked).call("end")


def test_a_question_that_nobody_knows_is_a_fault_of_ours() -> None:
    with Forked({}) as forked, pytest.raises(LabError, match="the check itself went wrong: ValueError"):
        forked.ask({"do": "dance"})


# Runs on a store

T = LAB_DAY_MS


def adds_twice(conn: Any, queue: str) -> list[Any]:
    return [conn.send("ZADD", f"emq:{{{queue}}}:repeat", number, f"n{number}") for number in (1, 2)]


def test_a_run_tells_commands_keys_and_kills() -> None:
    registry = "emq:{checked}:repeat"
    with Forked({"adds": adds_twice}) as forked:
        ran = Desk(forked).run(
            [("ZADD", registry, 5, "there")],
            [
                call("adds", CONN, THE_QUEUE, kill_before=2),
                command("ZREM", registry, "there"),
                call("adds", CONN, THE_QUEUE, meanwhile=2),
            ],
            now_ms=T,
        )
    killed, removed, whole = ran.acts
    assert ran.before == {registry: [["there", 5]]}
    assert (killed.killed, killed.sent, killed.after) == (True, 1, {registry: [["n1", 1], ["there", 5]]})
    assert removed.after == {registry: [["n1", 1]]}
    assert (whole.heard.value, whole.other and whole.other.value, whole.sent) == ([0, 0], [0, 1], 2)
    assert ran.errors == ()


def pipes(conn: Any, queue: str, transaction: bool) -> list[Any]:
    pipe = conn.client.pipeline(transaction)
    for number in (1, 2):
        pipe.zadd(f"emq:{{{queue}}}:repeat", {f"n{number}": number})
    return [*pipe.execute(), conn.send("ZCARD", f"emq:{{{queue}}}:repeat")]


# Killed before each command in turn: how many are sent, and how many entries are there.
PIPED = [(True, [(0, 0), (1, 2), (2, 2)]), (False, [(0, 0), (1, 1), (2, 2), (3, 2)])]


@pytest.mark.parametrize(("transaction", "fates"), PIPED)
def test_a_pipeline_passes_the_gate(transaction: bool, fates: list[tuple[int, int]]) -> None:
    for kill, (sent, entries) in enumerate(fates, 1):
        with Forked({"pipes": pipes}) as forked:
            ran = Desk(forked).run([], [call("pipes", CONN, THE_QUEUE, transaction, kill_before=kill)], now_ms=T)
        act = ran.acts[0]
        assert (act.killed, act.sent) == (kill <= len(fates) - 1, sent)
        assert len(act.after.get("emq:{checked}:repeat", [])) == entries
    assert [each[0] for each in act.calls] == ["ZADD", "ZADD", "ZCARD"]


def test_another_process_goes_first_in_a_pipeline_too() -> None:
    with Forked({"pipes": pipes}) as forked:
        ran = Desk(forked).run([], [call("pipes", CONN, THE_QUEUE, False, meanwhile=2)], now_ms=T)
    act = ran.acts[0]
    assert (act.heard.value, act.other and act.other.value) == ([1, 0, 2], [0, 1, 2])


def swallows(conn: Any, queue: str) -> str:
    try:
        conn.send("PING")
    except Exception:
        return "alive"
    return "sent"


def test_a_killed_process_cannot_go_on() -> None:
    with Forked({"swallows": swallows}) as forked:
        ran = Desk(forked).run([], [call("swallows", CONN, THE_QUEUE, kill_before=1)], now_ms=T)
    assert (ran.acts[0].killed, ran.errors) == (True, ())


# The judge


def test_the_same_seed_asks_the_same_and_another_seed_something_else() -> None:
    for exercise_id in IDS:
        for test in exercise(exercise_id).tests:
            drawn = [repr(test.cases(Random(seed))) for seed in ("a", "a", "b")]
            assert drawn[0] == drawn[1]


class Recorded:
    """A pupil whose answers are noted."""

    def __init__(self, inner: Forked) -> None:
        self.inner, self.known = inner, {}

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        answer = self.inner.ask(question)
        self.known[json.dumps(question, sort_keys=True)] = answer
        return answer


class Looked:
    """A pupil who learnt the answers to one seed's questions by heart."""

    def __init__(self, known: dict[str, dict[str, Any]]) -> None:
        self._known = known

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        nothing = {"said": None}
        acts = [{"heard": nothing, "after": {}} for _ in question.get("acts", ())]
        unknown = {"said": None, "before": {}, "acts": acts}
        return self._known.get(json.dumps(question, sort_keys=True), unknown)


CONSTANT = {"1.1", "2.1", "2.2", "3.1", "3.4"}


@pytest.mark.parametrize("exercise_id", [each for each in IDS if each not in CONSTANT])
def test_a_table_of_the_public_cases_fails_under_another_seed(exercise_id: str) -> None:
    from tests.test_answers import ALL

    right = next(answer for answer in ALL if answer.exercise == exercise_id and answer.right)
    asked = exercise(exercise_id)
    with Forked(right.names()) as forked:
        recorded = Recorded(forked)
        assert judge(asked, recorded).status is Status.RIGHT
    by_heart = Looked(recorded.known)
    assert judge(asked, by_heart).status is Status.RIGHT
    assert judge(asked, by_heart, seed="another").status is Status.WRONG


def test_a_counter_example_is_made_small() -> None:
    found = verdict("1.2", next_interval=lambda prev_ms, every_ms: prev_ms + every_ms + (every_ms > 60_000))
    assert found.failure is not None
    assert found.failure.given.startswith(f"next_interval({LAB_DAY_MS}, 300000)")


def test_a_mistake_is_recognised_only_if_every_failing_case_shows_it() -> None:
    # Right for even gaps, and a second too much for odd ones: that is no unit that was mixed up.
    mixed = verdict(
        "1.2", next_interval=lambda prev_ms, every_ms: (prev_ms + every_ms) // (1000 if prev_ms % 2 else 1001)
    )
    assert mixed.failure is not None
    assert mixed.failure.mistake is None


GARBAGE: list[Any] = [None, True, 1e300, "1767603600000", [["visits", 1]], {"name": {"score": [1]}}]
MORE_GARBAGE: list[Any] = [
    *(0, -1, 10**39, 10**50, 253_402_300_799_999, 2.5, -1e308, float("nan"), float("inf"), complex(1, 1)),
    *("", "x" * 50_000, b"", b"\xff", (), [], {}, [[]], [{}], [None], (None, None), ("visits", "1"), (b"\xff", 1e300)),
    *({1: [2]}, {"A"}, list(range(3_000)), object(), int, Odd, range(3), datetime(2026, 1, 5), timedelta(1)),
]


def garbage_is_wrong(exercise_id: str, value: Any) -> None:
    asked = exercise(exercise_id)
    found = verdict(exercise_id, **{name.name: (lambda *_: value) if name.takes else value for name in asked.names})
    assert found.status is Status.WRONG, found
    assert found.earned < found.points, found
    assert found.failure is not None
    assert all((found.failure.says, found.to_text(), found.to_json(), found.to_html()))


@pytest.mark.parametrize("exercise_id", IDS)
def test_garbage_is_wrong_and_breaks_nothing(exercise_id: str) -> None:
    for value in GARBAGE:
        garbage_is_wrong(exercise_id, value)


@pytest.mark.soak
@pytest.mark.parametrize("exercise_id", IDS)
def test_more_garbage_is_wrong_and_breaks_nothing(exercise_id: str) -> None:
    for value in MORE_GARBAGE:
        garbage_is_wrong(exercise_id, value)


def test_half_an_answer_earns_its_half() -> None:
    asked = exercise("1.1")
    first, *others = asked.names
    with Forked({}) as forked:
        del forked
    assert len(asked.names) == 2
    found = verdict("1.1", **{first.name: 5})
    assert found.failure is not None
    assert found.status is Status.WRONG
    assert {name.name for name in others} & set(found.failure.says.split()) or found.failure.test


# What is told

SIMPLE = Verdict(
    "1.3",
    "next_cron",
    Status.WRONG,
    (("type", 1, True), ("value", 9, False)),
    Failure("value", None, "No <b>.", "f(1)", "it raised <x>", "2", "Try it.", "embedded://fakeredis"),
    "A note.",
)


def test_a_verdict_as_text() -> None:
    assert SIMPLE.to_text() == (
        "1.3 next_cron: wrong, 1 of 10 points (public checks)\n"
        "No <b>.\n"
        "  given     f(1)\n"
        "  came      it raised <x>\n"
        "  expected  2\n"
        "  on        fakeredis\n"
        "Try next: Try it.\n"
        "A note."
    )
    assert repr(SIMPLE) == SIMPLE.to_text()


def test_a_verdict_as_html_escapes_what_is_the_students() -> None:
    html = SIMPLE._repr_html_()
    assert "<b>" not in html
    assert "<x>" not in html
    assert "<strong>1.3 next_cron: wrong, 1 of 10 points (public checks)</strong>" in html
    assert '<th scope="row"' in html


def test_a_verdict_as_json() -> None:
    told = json.loads(SIMPLE.to_json())
    assert (told["status"], told["earned"], told["points"], told["public"]) == ("wrong", 1, 10, True)
    assert told["failure"]["came"] == "it raised <x>"


def test_a_counter_example_of_instants_is_drawn() -> None:
    marks = Marks(T, (T + 3_600_000,), (T + 7_200_000,))
    failure = replace(SIMPLE.failure, marks=marks) if SIMPLE.failure else None
    html = replace(SIMPLE, failure=failure).to_html()
    assert "<svg" in html
    assert "expected: next run (the library)" in html
    assert "circles: 01:00" in html
    assert "crosses: 02:00" in html


@pytest.mark.parametrize("came", [(-5,), (10**18,), (), (5,), (253_402_300_799_999,), tuple(range(T, T + 2_000))])
def test_what_no_clock_can_show_is_left_out_of_the_picture(came: tuple[int, ...]) -> None:
    failure = replace(SIMPLE.failure, marks=Marks(T, (T + 1,), came, "Asia/Tokyo")) if SIMPLE.failure else None
    assert "<svg" in replace(SIMPLE, failure=failure).to_html()


def test_a_summary_adds_up() -> None:
    right = Verdict("1.2", "next_interval", Status.RIGHT, (("value", 4, True),))
    told = str(summary([right, SIMPLE]))
    assert told.startswith("5 of 14 points")
    assert "right" in told


# In a notebook


def test_hints_come_one_at_a_time_for_the_test_that_failed() -> None:
    names = {"check": check, "hint": hint, "next_cron": lambda expr, now_ms: float(now_ms)}
    first = exercise("1.3").tests[0]
    assert [eval("hint('1.3')", names).words for _ in range(4)] == [*first.hints, first.hints[2]]
    eval("check('1.3')", names)
    assert repr(hint("1.3")).startswith("Hint 3 of 3 for 1.3, type: ")
    names["next_cron"] = lambda expr, now_ms: int(now_ms)
    assert eval("check('1.3')", names).failure.test != "type"
    assert hint("1.3").number == 1
    assert "<p>Hint 2 of 3" in hint("1.3")._repr_html_()


def test_progress_tells_the_last_checks() -> None:
    assert str(progress()).startswith("0 of 100 points")
    eval("check('1.2')", {"check": check, "next_interval": lambda prev_ms, every_ms: prev_ms + every_ms})
    told = str(progress())
    assert told.startswith("4 of 100 points")
    assert told.count("not checked in this notebook") == 14


@pytest.mark.parametrize("ask", [check, hint])
@pytest.mark.parametrize("bad", ["9.9", "", None, 1.3, ["1.3"]])
def test_another_exercise_is_refused(ask: Callable[[str], Any], bad: Any) -> None:
    with pytest.raises(ArgumentError, match=r"exercise must be one of 1\.1, 1\.2, .* as text, not "):
        ask(bad)


def cell(exercise_id: str, source: str) -> dict[str, Any]:
    tags = {"tags": ["answer", exercise_id]}
    return {"cell_type": "code", "id": "ex-1-3-answer", "metadata": tags, "source": [source]}


UNSAVED = "The saved notebook does not hold the answer that was checked here yet"
CHANGED = "The answer cell was changed after it ran: run it again, then check again."
# What the file held and what ran, time after time; what the file holds when it is checked; the note.
SAVED = [
    ("the same", [("a = 1", "a = 1")], "a = 1", ""),
    ("saved after it ran", [("...", "a = 1")], "a = 1", ""),
    ("not run here", [], "a = 1", ""),
    ("changed after it ran", [("a = 1", "a = 1")], "a = 2", CHANGED),
    ("run, and not saved", [("a = 1", "a = 1"), ("a = 1", "a = 2")], "a = 1", UNSAVED),
    ("as shipped, and not saved", [("...", "a = 1")], "...", UNSAVED),
]


@pytest.mark.parametrize(("ran", "source", "note"), [row[1:] for row in SAVED], ids=[row[0] for row in SAVED])
def test_a_stale_answer_cell_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ran: list[tuple[str, str]], source: str, note: str
) -> None:
    path = tmp_path / "some.ipynb"
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    for held, raw_cell in ran:
        path.write_text(json.dumps({"cells": [cell("1.3", held)]}))
        saved._note(SimpleNamespace(cell_id="ex-1-3-answer", raw_cell=raw_cell))
    path.write_text(json.dumps({"cells": [cell("1.3", source)]}))
    assert saved.note("1.3", {})[: len(note) or None] == note
    assert saved.note("1.2", {}).startswith("The saved notebook has no answer cell for 1.2: ")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"cells": 5}', '{"cells": [{}]}'])
def test_where_nobody_can_tell_the_guard_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    assert saved.note("1.3", {}) == ""
    path = tmp_path / "some.ipynb"
    path.write_text(content)
    assert saved.note("1.3", {"__vsc_ipynb_file__": str(path)}) == ""


# Plain data

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_plain_values_cross_the_pipe_unchanged(value: Any) -> None:
    crossed = unpack(json.loads(json.dumps(pack(value))))
    assert crossed == value
    assert type(crossed) is type(value)


ODD = [
    (datetime(2026, 1, 5, tzinfo=UTC), "datetime"),
    ({1, 2}, "set"),
    (float("inf"), "float"),
    (10**45, "int"),
    ([0] * (MOST_VALUES + 1), "list"),
    ("x" * 100_000, "str"),
    (next_cron, "function"),
    (Hostile(), "Hostile"),
]


@pytest.mark.parametrize(("value", "kind"), ODD, ids=[kind for _, kind in ODD])
def test_other_values_arrive_by_name(value: Any, kind: str) -> None:
    crossed = unpack(json.loads(json.dumps(pack(value))))
    assert type(crossed) is Odd
    assert crossed.kind == kind


def test_a_list_in_itself_ends() -> None:
    value: list[Any] = []
    value.append(value)
    json.dumps(pack(value))


def test_a_reply_of_the_library_is_its_text() -> None:
    assert unpack(pack([repeat.Registered.EXISTS])) == ["exists"]


@pytest.mark.parametrize("data", [{"list": 5}, {"odd": ["a"]}, {"a": 1, "b": 2}, {"dict": [[1]]}, {"bytes": 5}])
def test_what_pack_does_not_make_is_no_value(data: Any) -> None:
    with pytest.raises(ValueError, match="no packed value"):
        unpack(data)


@given(st.integers(LAB_DAY_MS, LAB_DAY_MS + 365 * 86_400_000))
def test_a_simpler_instant_ends_at_the_lab_day(at_ms: int) -> None:
    steps = 0
    while nearest := next(instants.simpler(at_ms), None):
        assert nearest >= LAB_DAY_MS
        at_ms, steps = nearest, steps + 1
        assert steps < 50
    assert at_ms == LAB_DAY_MS


def test_a_test_that_never_fails_has_no_counter_example() -> None:
    test: OneTest[int, Any] = OneTest(
        "t",
        1,
        "s",
        "n",
        ("a", "b", "c"),
        lambda _: [1],
        lambda desk, _: desk.value("x"),
        lambda *_: None,
        str,
        mistakes=(Mistake("m", "m", lambda *_: True),),
    )
    with Forked({"x": 1}) as forked:
        assert judge(Exercise("0.0", "t", (Name("x", "a number"),), (test,)), forked).status is Status.RIGHT
        wrong = replace(test, judge=lambda *_: Wrong("g", "c", "e"))
        found = judge(Exercise("0.0", "t", (Name("x", "a number"),), (wrong,)), forked)
    assert (found.failure and found.failure.says) == "m"
