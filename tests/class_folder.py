"""Submissions of a class, made of the notebooks as they ship with answers of `tests/answers` put in."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from echomq_lab.grading.notebook import read
from echomq_lab.grading.released import path_of, released, role_of

ANSWERS = Path(__file__).parent / "answers"
SEED = "a seed of the tests, no secret"

LOOPS = "def next_interval(prev_ms, every_ms):\n    while True:\n        pass"
EXITS = "import os\n\ndef next_interval(prev_ms, every_ms):\n    os._exit(0)"
CELL_EXITS = "import os\n\nos._exit(0)"
RAISES = "def next_interval(prev_ms, every_ms):\n    return undefined"


def right(exercise: str) -> str:
    """The first right answer to an exercise."""
    return min((ANSWERS / exercise).glob("right_*.py")).read_text("utf-8")


def wrong(exercise: str) -> str:
    """The first wrong answer to an exercise."""
    return min((ANSWERS / exercise).glob("wrong_*.py")).read_text("utf-8")


def notebook(dive: int, answers: Mapping[str, str]) -> bytes:
    """The notebook of a dive with these answers, by exercise, in its answer cells."""
    content = json.loads(path_of(dive).read_bytes())
    cells = read(path_of(dive).read_bytes()).cells
    assert cells is not None
    for cell in cells:
        role, exercise = role_of(cell)
        if role == "answer" and exercise in answers:
            content["cells"][cell.number - 1]["source"] = answers[exercise]
    return json.dumps(content).encode()


def name(dive: int) -> str:
    """The file's name of the notebook of a dive."""
    return released(dive).name


def zipped(members: Mapping[str, bytes]) -> bytes:
    """A zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for member, data in members.items():
            file.writestr(member, data)
    return buffer.getvalue()


def mixed(folder: Path, count: int = 50) -> Path:
    """A class of so many: right, wrong, blank, loop, crash, huge, corrupt, ... as three course systems name them."""
    one, blank = notebook(1, {"1.2": right("1.2")}), notebook(1, {})
    kinds: list[tuple[str, bytes | None]] = [
        ("right{}_1{:04}_1_" + name(1), one),
        ("wrong{}_LATE_2{:04}_1_" + name(1), notebook(1, {"1.2": wrong("1.2")})),
        ("Blank {}_3{:04}_assignsubmission_file_/" + name(1), blank),
        ("loop{}+ps1+2026-01-05 10:00:00 UTC/" + name(1), notebook(1, {"1.2": LOOPS})),
        ("exits{}.ipynb", notebook(1, {"1.2": EXITS})),
        ("cell-exits{}.ipynb", notebook(1, {"1.2": CELL_EXITS, "1.1": right("1.1")})),
        ("raises{}.ipynb", notebook(1, {"1.2": RAISES})),
        ("huge{}.ipynb", None),
        ("corrupt{}_4{:04}_1_" + name(1), one[: len(one) // 2]),
        ("json{}.ipynb", b"no JSON"),
        ("zip{}.zip", zipped({"manifest.json": b"{}", name(1): one})),
        ("bomb{}.zip", zipped({name(1): b" " * (1 << 25)})),
        ("paths{}.zip", zipped({"../../" + name(1): one})),
        ("foreign{}.ipynb", b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}'),
        ("essay{}.pdf", b"%PDF"),
        ("two{}/" + name(2), notebook(2, {"2.1": right("2.1")})),
    ]
    for number in range(count):
        pattern, data = kinds[number % len(kinds)]
        path = folder / pattern.format(number // len(kinds), number // len(kinds))
        path.parent.mkdir(parents=True, exist_ok=True)
        if data is None:
            with path.open("wb") as file:
                file.truncate(1 << 26)
        else:
            path.write_bytes(data)
    return folder
