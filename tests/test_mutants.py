"""How sharp the checks are: small faults in right answers, and how many of them some test finds.

A mutant that passes all tests is listed in `answers/equivalent.txt`, with the reason why it is a right answer too: a
line `<answer>: <change> | <reason>`.
"""

import re
import signal
from pathlib import Path

import pytest

from echomq_lab.checks import pupil
from echomq_lab.checks.exercises import exercise
from echomq_lab.checks.judge import judge
from echomq_lab.checks.pupil import Forked
from echomq_lab.checks.verdict import Status
from tests.mutants import mutants
from tests.test_answers import ALL, Answer, name

EQUIVALENT = Path(__file__).parent / "answers" / "equivalent.txt"
RIGHT = [answer for answer in ALL if answer.right]


def listed() -> dict[str, str]:
    """The mutants that are told to be right, and why."""
    lines = EQUIVALENT.read_text("utf-8").splitlines()
    told = [re.fullmatch(r"(.+) \| (.+)", line) for line in lines if line and not line.startswith("#")]
    assert None not in told
    return {line[1]: line[2] for line in told if line}


def survives(answer: Answer, code: str) -> bool:
    """Whether a mutant is right under every seed that is tried."""
    names: dict[str, object] = {"__name__": "__main__"}
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        exec(compile(code, "<mutant>", "exec"), names)
    except Exception:
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    with Forked(names) as forked:
        return all(
            judge(exercise(answer.exercise), forked, seed=seed).status is Status.RIGHT for seed in ("public", "a", "b")
        )


MADE = [
    ("a + 1", {"a - 1", "a + 2", "a + 0"}),
    ("a <= b", {"a < b", "a > b"}),
    ("a and not b", {"a or not b", "a and (not not b)"}),
    ("-a // b", {"-a * b", "-a / b", "+a // b"}),
    ("f(True)", {"f(False)"}),
    (
        "f('redis.call(KEYS[1]) ~= 0 -- 0')",
        {"f('redis.call(KEYS[2]) ~= 0 -- 0')", "f('redis.call(KEYS[1]) == 0 -- 0')"},
    ),
]


@pytest.mark.parametrize(("code", "expected"), MADE, ids=[code for code, _ in MADE])
def test_what_a_mutant_is(code: str, expected: set[str]) -> None:
    found = [mutant for _, mutant in mutants(f"x = {code}")]
    assert {mutant.removeprefix("x = ") for mutant in found} >= expected
    assert len(set(found)) == len(found) >= len(expected)
    assert f"x = {code}" not in found
    assert list(mutants('"""A docstring of 5."""\nimport os')) == []


@pytest.mark.soak
def test_every_mutant_is_found_or_told_to_be_right(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def late(*_: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(pupil, "LIMIT_S", 1.0)
    before = signal.signal(signal.SIGALRM, late)
    made, survivors = 0, []
    for answer in RIGHT:
        for change, code in mutants(answer.code):
            made += 1
            if survives(answer, code):
                survivors.append(f"{name(answer)}: {change}")
    signal.signal(signal.SIGALRM, before)
    known = listed()
    with capsys.disabled():
        found = made - len(survivors)
        print(f"\nmutants: {made}, found by the checks: {found}, right all the same: {len(survivors)}")
    assert sorted(set(survivors) - set(known)) == []
    assert sorted(set(known) - set(survivors)) == []
