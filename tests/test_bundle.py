"""`echomq-lab bundle`: one zip, the same bytes for the same notebooks, nothing written over, mistakes in one line."""

import contextlib
import hashlib
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

import echomq_lab
from echomq_lab import cli, workdir

STUB, ANSWER = "def next_interval(prev_ms, every_ms):\n    ...", "def next_interval(prev_ms, every_ms):\n    return 1"
NAMES = ("01-cron.ipynb", "02-upsert.ipynb")
SAVE = "A notebook goes in as it was last saved: save those that are open in JupyterLab, then bundle once more."


def cell(source: str, *tags: str, **other: Any) -> dict[str, Any]:
    metadata = {"tags": list(tags)} if tags else {}
    empty: dict[str, Any] = {"outputs": [], "execution_count": None}
    return {"cell_type": "code", "id": "c", "metadata": metadata, "source": source, **empty} | other


def made(path: Path, *cells: dict[str, Any], **metadata: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return path


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader's folder, as it was copied; what ships is beside it, and the current folder is an empty one."""
    for name in ("00-hub.ipynb", *NAMES, "04-more.ipynb"):
        for folder in ("notebooks", "lab-work"):
            made(tmp_path / folder / name, cell("1"), cell(STUB, "answer", f"{name[1]}.2"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(workdir, "NOTEBOOKS", tmp_path / "notebooks")
    return tmp_path / "lab-work"


def run(*argv: str | Path) -> tuple[object, str, str]:
    """Exit code, stdout and stderr of `echomq-lab bundle`, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code: object = cli.main(["bundle", *map(str, argv)])
        except SystemExit as left:
            code = left.code
    return code, out.getvalue(), err.getvalue()


def test_the_bundle_holds_what_is_handed_in_and_says_what_is_open(work: Path) -> None:
    made(work / "01-cron.ipynb", cell("1"), cell(ANSWER + " # \u00e9", "answer", "1.2"))
    said = "wrote mine.zip\n  01-cron.ipynb: every exercise has an answer\n  02-upsert.ipynb: not answered: 2.2\n"
    assert run("--dir", work, "--out", "mine.zip") == (0, f"{said}{SAVE}\n", "")
    with zipfile.ZipFile("mine.zip") as archive:
        assert archive.namelist() == ["manifest.json", *NAMES]
        assert archive.testzip() is None
        manifest = json.loads(archive.read("manifest.json"))
        assert manifest == {
            "kit": "echomq-lab",
            "version": echomq_lab.__version__,
            "notebooks": {
                name: {"sha256": hashlib.sha256(archive.read(name)).hexdigest(), "answers": [f"{name[1]}.2"]}
                for name in NAMES
            },
        }
        handed = json.loads(archive.read("01-cron.ipynb"))
        assert "".join(handed["cells"][1]["source"]) == ANSWER + " # \u00e9"
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_same_notebooks_give_the_same_bytes_whatever_a_run_left_in_them(work: Path) -> None:
    code, out, _ = run("--dir", work)
    assert code == 0
    (first,) = Path().iterdir()
    content = first.read_bytes()
    assert first.name == f"echomq-lab-{hashlib.sha256(content).hexdigest()[:8]}.zip"
    assert out.startswith(f"wrote {first.name}\n")
    for name in NAMES:
        run_cell = cell(STUB.splitlines(keepends=True), "answer", f"{name[1]}.2", execution_count=7)  # type: ignore[arg-type]
        run_cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x"}]
        run_cell["metadata"] |= {"execution": {"iopub.status.idle": "2026"}, "scrolled": True}
        made(work / name, cell("1", execution_count=1), run_cell, widgets={"state": {}})
        os.utime(work / name, (1, 1))
    code, again, _ = run("--dir", work)
    assert (code, again.splitlines()[0]) == (0, f"{first.name} is there already, the same")
    assert [path.name for path in Path().iterdir()] == [first.name]
    made(work / NAMES[0], cell("2"))
    assert run("--dir", work)[1].startswith("wrote echomq-lab-")
    assert len(list(Path().iterdir())) == 2
    assert first.read_bytes() == content


def test_a_notebook_or_an_answer_cell_that_is_gone_is_told(work: Path) -> None:
    (work / NAMES[1]).unlink()
    made(work / NAMES[0], cell(ANSWER))
    assert run("--dir", work, "--out", "x.zip")[1] == (
        "wrote x.zip\n  01-cron.ipynb: not answered: 1.2\n"
        f"  02-upsert.ipynb: not in the folder, so not handed in\n{SAVE}\n"
    )


def test_another_file_of_the_name_stays(work: Path) -> None:
    Path("mine.zip").write_text("mine")
    Path("link.zip").symlink_to("mine.zip")
    for name in ("mine.zip", "link.zip"):
        assert run("--dir", work, "--out", name) == (
            2,
            "",
            f"echomq-lab: {name} is something else and stays; remove it, or pass --out with another name\n",
        )
    assert Path("mine.zip").read_text() == "mine"


def folder_is_missing(work: Path) -> list[str]:
    return ["--dir", f"{work}-not"]


def folder_is_a_file(work: Path) -> list[str]:
    Path("file").touch()
    return ["--dir", "file"]


def folder_is_a_link(work: Path) -> list[str]:
    Path("link").symlink_to(work)
    return ["--dir", "link"]


def nothing_in_the_folder(work: Path) -> list[str]:
    return ["--dir", "."]


def a_notebook_is_a_link(work: Path) -> list[str]:
    (work / NAMES[0]).unlink()
    (work / NAMES[0]).symlink_to("/etc/passwd")
    return []


def a_notebook_is_a_folder(work: Path) -> list[str]:
    (work / NAMES[0]).unlink()
    (work / NAMES[0]).mkdir()
    return []


def a_notebook_is_broken(work: Path) -> list[str]:
    (work / NAMES[0]).write_text("{")
    return []


def out_is_no_zip(work: Path) -> list[str]:
    return ["--out", "mine.tar"]


def out_has_no_folder(work: Path) -> list[str]:
    return ["--out", "none/mine.zip"]


def nothing_ships(work: Path) -> list[str]:
    for path in (work.parent / "notebooks").iterdir():
        path.unlink()
    return []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (folder_is_missing, "there is no folder {work}-not; `"),
        (folder_is_a_file, "file is no folder; `"),
        (folder_is_a_link, "link is a symbolic link; pass --dir with the folder itself"),
        (
            nothing_in_the_folder,
            "none of 01-cron.ipynb, 02-upsert.ipynb is in .; pass --dir with the folder of your notebooks",
        ),
        (a_notebook_is_a_link, "01-cron.ipynb in {work} is a symbolic link; put the notebook itself there"),
        (a_notebook_is_a_folder, "{work}/01-cron.ipynb is no file"),
        (a_notebook_is_broken, "{work}/01-cron.ipynb is no notebook: it is not JSON ("),
        (out_is_no_zip, "--out must be a file that ends in .zip, not 'mine.tar'; try 'answers.zip'"),
        (
            out_has_no_folder,
            "--out must be a file that can be written, not 'none/mine.zip'; No such file or directory",
        ),
        (nothing_ships, "there are no notebooks in "),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_cannot_be_bundled_is_told_in_a_line(spoil: Any, said: str, work: Path) -> None:
    code, out, err = run("--dir", work, *spoil(work))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"echomq-lab: {said.format(work=work)}")
    assert list(Path().glob("*.zip")) == []


def test_a_notebook_that_may_not_be_read_is_told(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_text = Path.read_text

    def refuse(path: Path, encoding: str) -> str:
        if path.parent == work:
            raise PermissionError(13, "Permission denied")
        return read_text(path, encoding)

    monkeypatch.setattr(Path, "read_text", refuse)
    said = f"echomq-lab: {work / NAMES[0]} cannot be read: Permission denied\n"
    assert run("--dir", work) == (2, "", said)
