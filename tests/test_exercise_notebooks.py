"""The exercises where they stand: as shipped nothing is answered, solved all of it, and no answer is given away."""

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from echomq_lab.checks.exercises import IDS, exercise
from tests.test_answers import ALL

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))

spec = importlib.util.spec_from_file_location("check_notebooks", NOTEBOOKS.parent / ".ci" / "check_notebooks.py")
assert spec is not None
assert spec.loader is not None
check_notebooks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_notebooks)


def cells(name: str) -> list[Any]:
    return list(nbformat.read(NOTEBOOKS / name, as_version=4).cells)


def tagged(tag: str) -> list[tuple[str, Any]]:
    return [(name, cell) for name in NAMES for cell in cells(name) if tag in cell.metadata.get("tags", [])]


def test_every_exercise_stands_once_in_the_notebook_of_its_dive() -> None:
    found = {}
    for name, cell in tagged("answer"):
        (number,) = set(cell.metadata.tags) - {"answer"}
        assert number not in found
        found[number] = name[:2]
    assert found == {number: f"0{number[0]}" for number in IDS}


def test_the_heading_tells_the_points() -> None:
    for name in NAMES:
        for cell in cells(name):
            if told := re.match(r"## Exercise (\d\.\d): .* \((\d+) points\)", cell.source):
                assert int(told[2]) == exercise(told[1]).points


def test_the_readme_tells_the_minutes_that_the_notebooks_tell() -> None:
    readme = (NOTEBOOKS.parent / "README.md").read_text("utf-8")
    for name in NAMES:
        minutes = re.findall(r"about (\d+)\s+minutes", next(cell.source for cell in cells(name)))
        row = next(line for line in readme.splitlines() if f"](notebooks/{name})" in line)
        assert row.endswith(f"| {' + '.join(minutes)} |"), name


def test_every_stub_defines_the_names_and_answers_nothing() -> None:
    for _, cell in tagged("answer"):
        (number,) = set(cell.metadata.tags) - {"answer"}
        names: dict[str, Any] = {}
        exec(cell.source, names)
        for wanted in exercise(number).names:
            assert wanted.name in names, number
            if wanted.takes:
                assert f"def {wanted.name}{wanted.takes}:" in cell.source
            else:
                assert names[wanted.name] is ...


CONSTANT = ("1.1", "2.1", "2.2", "3.1", "3.4")


def forms(value: Any) -> list[str]:
    """The ways in which a text would give a value away, blanks and quotes aside."""
    if isinstance(value, int):
        return [str(value), f"{value:,}", f"{value:_}"] if value > 1_000 else []
    if isinstance(value, list) and all(isinstance(each, int) for each in value):
        return [form for each in value for form in forms(each)]
    return [re.sub(r"[\s'\"]", "", repr(value))]


@pytest.mark.parametrize("number", CONSTANT)
def test_no_notebook_tells_the_answer_of_a_constant_exercise(number: str) -> None:
    right = next(answer for answer in ALL if answer.exercise == number and answer.right)
    held = right.names()
    told = {name: re.sub(r"[\s'\"]", "", json.dumps([cell.source for cell in cells(name)])) for name in NAMES}
    for wanted in exercise(number).names:
        for name, text in told.items():
            assert f"{wanted.name}={held[wanted.name]!r}" not in text
            for form in forms(held[wanted.name]):
                assert form not in text, f"{name} tells {wanted.name}"


def framed() -> dict[str, Any]:
    def cell(kind: str, name: str, source: str, tags: set[str]) -> dict[str, Any]:
        metadata: dict[str, Any] = {"tags": sorted(tags)} if tags else {}
        for role in tags & {"answer", "check"}:
            metadata["nbgrader"] = check_notebooks.NBGRADER[role] | {"grade_id": name}
            metadata["nbgrader"] |= {"points": 10} if role == "check" else {}
        return {"cell_type": kind, "id": name, "metadata": metadata, "source": [source]}

    found = []
    for ending, wanted in check_notebooks.FRAME:
        name = f"ex-1-3{ending}"
        if isinstance(wanted, str):
            heading = wanted.replace("N", "1.3") + ("" if ending else "Next (10 points)")
            found.append(cell("markdown", name, heading, set()))
        else:
            found.append(cell("code", name, 'check("1.3")' if ending == "-check" else "1\n2", wanted | {"1.3"}))
    return {"cells": found, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def nbgrader(cell: dict[str, Any], **change: Any) -> None:
    cell["metadata"]["nbgrader"] |= change


Break = Callable[[list[dict[str, Any]]], object]
FAULTS: list[tuple[str, Break]] = [
    ("ex-1-3-explain: exercise 1.3 lacks this cell", lambda found: found.pop(5)),
    ("ex-1-3-check-why: stands before what it follows from", lambda found: found.insert(0, found.pop(8))),
    ("ex-1-3-run-why: does not begin with '### 1.3 Run'", lambda found: found[3].update(source="### Run 1.3")),
    ("ex-1-3-answer: its tags are not 1.3, answer", lambda found: found[7].update(metadata={"tags": ["1.3"]})),
    ('ex-1-3-check: is not check("1.3")', lambda found: found[9].update(source='check("1.2")')),
    ("ex-1-3-answer: lacks nbgrader's metadata", lambda found: found[7]["metadata"].pop("nbgrader")),
    ("ex-1-3-run: has no use for nbgrader's metadata", lambda found: found[4]["metadata"].update(nbgrader={"task": 1})),
    ("ex-1-3-check: nbgrader's points is 4, and must be 10", lambda found: nbgrader(found[9], points=4)),
    (
        'ex-1-3-check: nbgrader\'s grade_id is "ex-1-3", and must be "ex-1-3-check"',
        lambda found: nbgrader(found[9], grade_id="ex-1-3"),
    ),
    ("ex-1-3-answer: nbgrader's solution is 1, and must be true", lambda found: nbgrader(found[7], solution=1)),
    ("ex-1-3-answer: nbgrader's points is 10, and must be missing", lambda found: nbgrader(found[7], points=10)),
]


@pytest.mark.parametrize(("fault", "spoil"), FAULTS, ids=[fault for fault, _ in FAULTS])
def test_the_checker_finds_a_broken_frame(tmp_path: Path, fault: str, spoil: Break) -> None:
    path = tmp_path / "some.ipynb"
    spoiled = framed()
    path.write_text(json.dumps(spoiled))
    assert f"some.ipynb: {fault}" not in check_notebooks.faults(path)
    assert [*check_notebooks._frames(spoiled["cells"]), *check_notebooks._nbgrader(spoiled["cells"])] == []
    spoil(spoiled["cells"])
    path.write_text(json.dumps(spoiled))
    assert f"some.ipynb: {fault}" in check_notebooks.faults(path)
