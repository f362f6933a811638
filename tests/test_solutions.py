"""`echomq-lab solutions`: the right answers in place, all else as it ships, nothing of another's written over."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from echomq_lab import cli, notebook_file, solutions_command, workdir
from echomq_lab.checks.exercises import IDS
from echomq_lab.solutions_command import without_docstring

SHIPPED = sorted((workdir.PROJECT / "notebooks").glob("*.ipynb"))


def notebook(*answers: str, title: str = "# \u00c9tude") -> bytes:
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "id": "title", "metadata": {}, "source": [title]}]
    for each in answers:
        cell = {"cell_type": "code", "execution_count": None, "id": f"answer-{each}", "metadata": {}, "outputs": []}
        cells.append(cell | {"metadata": {"tags": ["answer", each]}, "source": ["def f():\n", "    ..."]})
    cells.append({"cell_type": "code", "execution_count": None, "id": "e", "metadata": {}, "outputs": [], "source": []})
    return notebook_file.written({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with a notebook of exercises 1.2 and 1.3, and one without exercises."""
    files = {
        "notebooks/00-hub.ipynb": notebook(),
        "notebooks/01-cron.ipynb": notebook("1.2", "1.3"),
        "tests/answers/1.2/right_a.py": b'"""A sum."""\n\n\ndef f():\n    return 1\n',
        "tests/answers/1.2/right_b.py": b"def f():\n    return 2\n",
        "tests/answers/1.3/wrong_a.py": b"def f():\n    return 3\n",
        "tests/answers/1.3/right_c.py": b"# \xc3\xa9\ndef f():\n\n    return 4",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(workdir, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setattr(solutions_command, "ANSWERS", tmp_path / "tests" / "answers")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*argv: str) -> tuple[object, str, str]:
    """Exit code, stdout and stderr of `echomq-lab solutions`, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code: object = cli.main(["solutions", *argv])
        except SystemExit as left:
            code = left.code
    return code, out.getvalue(), err.getvalue()


def test_only_the_sources_of_the_answer_cells_are_others(clone: Path) -> None:
    assert run("solved/all") == (0, "wrote solved/all/01-cron.ipynb\n", "")
    assert [path.name for path in (clone / "solved" / "all").iterdir()] == ["01-cron.ipynb"]
    ours, solved = ((clone / name / "01-cron.ipynb").read_bytes() for name in ("notebooks", "solved/all"))
    stub = b'    "def f():\\n",\n    "    ..."\n'
    first, second, rest = ours.split(stub)
    assert solved == (
        first
        + b'    "def f():\\n",\n    "    return 1"\n'
        + second
        + '    "# \u00e9\\n",\n    "def f():\\n",\n    "\\n",\n    "    return 4"\n'.encode()
        + rest
    )


def test_a_file_is_replaced_by_force_alone(clone: Path) -> None:
    assert run("solved")[0] == 0
    target = clone / "solved" / "01-cron.ipynb"
    right, inode = target.read_bytes(), target.stat().st_ino
    assert run("solved") == (0, "kept solved/01-cron.ipynb\n", "")
    assert target.stat().st_ino == inode
    target.write_text("mine")
    assert run("solved") == (
        2,
        "",
        "echomq-lab: 01-cron.ipynb in solved is something else; choose another folder, or replace with --force\n",
    )
    assert target.read_text() == "mine"
    assert run("solved", "--force") == (0, "wrote solved/01-cron.ipynb\n", "")
    assert target.read_bytes() == right


def test_a_link_is_something_else_and_what_it_leads_to_stays(clone: Path) -> None:
    (clone / "solved").mkdir()
    (clone / "mine").write_text("mine")
    (clone / "solved" / "01-cron.ipynb").symlink_to(clone / "mine")
    assert run("solved")[0] == 2
    assert run("solved", "--force")[0] == 0
    assert (clone / "mine").read_text() == "mine"


def answers_are_missing(clone: Path) -> str:
    (clone / "tests").rename(clone / "none")
    return "solved"


def one_answer_is_missing(clone: Path) -> str:
    (clone / "tests" / "answers" / "1.3" / "right_c.py").unlink()
    return "solved"


def an_answer_cell_is_doubled(clone: Path) -> str:
    (clone / "notebooks" / "01-cron.ipynb").write_bytes(notebook("1.2", "1.2"))
    return "solved"


def no_answer_cell(clone: Path) -> str:
    (clone / "notebooks" / "01-cron.ipynb").unlink()
    return "solved"


def the_folder_is_a_file(clone: Path) -> str:
    (clone / "solved").touch()
    return "solved"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (answers_are_missing, "the right answers are in a clone of the lab only, in tests/answers"),
        (one_answer_is_missing, "there is no right answer to 1.3 in tests/answers/1.3"),
        (an_answer_cell_is_doubled, "01-cron.ipynb has 2 answer cells for 1.2"),
        (no_answer_cell, "no notebook in {clone}/notebooks has an answer cell"),
        (lambda _: "notebooks", "notebooks has the notebooks as they ship, and keeps them; choose another folder"),
        (the_folder_is_a_file, "cannot write to solved: File exists"),
    ],
)
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_what_cannot_be_solved_is_told_in_a_line_and_nothing_is_written(
    spoil: Any, said: str, force: tuple[str, ...], clone: Path
) -> None:
    before = (clone / "notebooks" / "01-cron.ipynb").read_bytes()
    folder = spoil(clone)
    assert run(folder, *force) == (2, "", f"echomq-lab: {said.format(clone=clone)}\n")
    assert not (clone / "solved").is_dir()
    if folder == "notebooks":
        assert (clone / "notebooks" / "01-cron.ipynb").read_bytes() == before


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ('"""Words."""\n\nx = 1\n', "x = 1"),
        ('"""Words,\n\nmany."""\n\n\n# why\nx = 1\n\ny = 2\n\n', "# why\nx = 1\n\ny = 2"),
        ('# first\n"""Words."""\nx = 1', "x = 1"),
        ('x = """no docstring"""\n', 'x = """no docstring"""'),
        ("1\n", "1"),
    ],
)
def test_an_answer_cell_gets_no_docstring(code: str, answer: str) -> None:
    assert without_docstring(code) == answer


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_what_ships_can_be_written_back_byte_by_byte(path: Path) -> None:
    shipped = notebook_file.read(path)
    assert shipped.with_sources({}) == path.read_bytes()
    assert json.loads(shipped.stripped()) == shipped.content
    assert all(len(cells) == 1 and cells[0].id for cells in shipped.answers(IDS).values())
