"""A class as a folder: whose a file is, what a submission holds, and that every fault of it is told in words."""

import io
import json
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from echomq_lab.grading import archive, collect, dives, naming, notebook, roster
from echomq_lab.grading.collect import ClassError, Submission
from echomq_lab.grading.roster import RosterError


def cell(source: str, cell_id: str = "", tags: tuple[str, ...] = (), kind: str = "code") -> dict[str, Any]:
    told: dict[str, Any] = {"cell_type": kind, "metadata": {"tags": list(tags)} if tags else {}, "source": source}
    told |= {"outputs": [], "execution_count": None} if kind == "code" else {}
    return told | ({"id": cell_id} if cell_id else {})


def book(*cells: dict[str, Any], number: int = 4) -> bytes:
    return json.dumps({"nbformat": number, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}).encode()


ANSWER = cell("def next_cron(expr, now_ms):\n    ...", "ex-1-3-answer", ("answer", "1.3"))
GOOD = book(ANSWER)


def zipped(members: dict[str, bytes], *, way: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", way) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return buffer.getvalue()


# Whose a file is

NAMES = [
    ("doejane_12345_6789_01-cron-vs-interval.ipynb", "doejane_12345", "01-cron-vs-interval.ipynb", False),
    ("doejane_LATE_12345_6789_01-cron-vs-interval-1.ipynb", "doejane_12345", "01-cron-vs-interval-1.ipynb", True),
    ("o_brien_77_8_echomq-lab-ab12cd34.zip", "o_brien_77", "echomq-lab-ab12cd34.zip", False),
    ("Jane Doe_123456_assignsubmission_file_", "Jane Doe_123456", "Jane Doe_123456_assignsubmission_file_", False),
    ("Jane Doe_123456_assignsubmission_file", "Jane Doe_123456", "Jane Doe_123456_assignsubmission_file", False),
    ("Jane Doe_123456_assignsubmission_file_02-the-upsert.ipynb", "Jane Doe_123456", "02-the-upsert.ipynb", False),
    ("jdoe+ps1+2026-01-05 10:00:00.123456 UTC", "jdoe", "jdoe+ps1+2026-01-05 10:00:00.123456 UTC", False),
    ("jdoe+ps1+2026-01-05 10:00:00 UTC+q1w2", "jdoe", "jdoe+ps1+2026-01-05 10:00:00 UTC+q1w2", False),
    ("jdoe.ipynb", "jdoe", "jdoe.ipynb", False),
    ("jdoe.zip", "jdoe", "jdoe.zip", False),
    ("j.doe", "j.doe", "j.doe", False),
    ("01-cron-vs-interval.ipynb", "01-cron-vs-interval", "01-cron-vs-interval.ipynb", False),
]


@pytest.mark.parametrize(("child", "student", "file", "late"), NAMES, ids=[row[0] for row in NAMES])
def test_a_name_tells_whose_it_is(child: str, student: str, file: str, late: bool) -> None:
    told = naming.told(child)
    assert (told.student, told.file, told.late) == (student, file, late)


def test_a_student_has_one_safe_file_name_on_every_system() -> None:
    students = ["jdoe", "JDoe", "Jane Doe", "Jane  Doe", "Jäne", "../../etc/passwd", "..", "", ".", "nul", "a" * 300]
    students += ["\udcff", "a/b", "a\nb", "-rf", "doejane_12345"]
    names = [naming.safe(student) for student in students]
    assert len({name.lower() for name in names}) == len(students)
    assert names[0] == "jdoe"
    assert names[-1] == "doejane_12345"
    for name in names:
        assert name.isascii()
        assert 0 < len(name) < 100
        assert not set(name) & set("/\\:\n ")
        assert not name.startswith(".")


def made(folder: Path, children: dict[str, bytes | dict[str, bytes]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in children.items():
        if isinstance(content, dict):
            made(folder / name, content)  # type: ignore[arg-type]
        else:
            (folder / name).write_bytes(content)
    return folder


def test_a_class_is_listed_by_student(tmp_path: Path) -> None:
    folder = made(
        tmp_path,
        {
            "doejane_12345_6789_01-cron-vs-interval.ipynb": GOOD,
            "doejane_LATE_12345_6790_02-the-upsert.ipynb": GOOD,
            "doejane_99999_1_01-cron-vs-interval.ipynb": GOOD,
            "Jane Doe_123456_assignsubmission_file_": {"01-cron-vs-interval.ipynb": GOOD},
            "jdoe+ps1+2026-01-05 10:00:00 UTC": {"ps1.ipynb": GOOD},
            "jdoe+ps1+2026-01-06 10:00:00 UTC": {"ps1.ipynb": GOOD},
            "plain.ipynb": GOOD,
            "plain.zip": b"",
            ".DS_Store": b"",
            "__MACOSX": {},
            "Thumbs.db": b"",
        },
    )
    listed = collect.listing(folder)
    assert [(each.student, len(each.children), each.remarks) for each in listed.submissions] == [
        ("Jane Doe_123456", 1, ()),
        ("doejane_12345", 2, ("handed in late, by the name that the course system gave it",)),
        ("doejane_99999", 1, ()),
        ("jdoe", 1, ("jdoe+ps1+2026-01-05 10:00:00 UTC: an earlier submission, not graded",)),
        ("plain", 2, ()),
    ]
    assert listed.submissions[3].children == ("jdoe+ps1+2026-01-06 10:00:00 UTC",)


def test_listing_reads_no_content(tmp_path: Path) -> None:
    for number in range(40):
        with (tmp_path / f"s{number}.ipynb").open("wb") as file:
            file.truncate(1 << 32)
    os.mkfifo(tmp_path / "pipe.ipynb")
    assert len(collect.listing(tmp_path).submissions) == 41


REFUSED: list[tuple[Callable[[Path], Path], str]] = [
    (lambda top: top / "none", "cannot read the class's folder"),
    (lambda top: made(top / "empty", {".DS_Store": b""}), "there is nothing to grade in"),
    (lambda top: made(top, {"one.ipynb": GOOD}) / "one.ipynb", "Not a directory"),
]


@pytest.mark.parametrize(("make", "words"), REFUSED, ids=[row[1] for row in REFUSED])
def test_what_is_no_class_is_refused(tmp_path: Path, make: Callable[[Path], Path], words: str) -> None:
    with pytest.raises(ClassError, match=words):
        collect.listing(make(tmp_path))


# The roster


def listed(tmp_path: Path, table: str, *children: str) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    folder = made(tmp_path / "class", dict.fromkeys(children, GOOD))
    (tmp_path / "roster.csv").write_bytes(table.encode("utf-8-sig"))
    found = collect.listing(folder, roster.read(tmp_path / "roster.csv"))
    return {each.student: each.children for each in found.submissions}, found.told


def test_a_roster_maps_files_to_students(tmp_path: Path) -> None:
    table = "ID,Student,file,pattern\n1,Jane,doejane_12345,\n2,Joe,,joe*\n3,Ann,ann.zip,\n4,Ben,joe9,\n5,Cy,cy,\n"
    table += "2,Joe,,joe*\n"
    children = (
        "doejane_12345_1_01.ipynb",
        "doejane_12345_2_02.ipynb",
        "joe1.ipynb",
        "joe9.ipynb",
        "ann.zip",
        "x.ipynb",
    )
    students, told = listed(tmp_path, table, *children)
    assert students == {
        "Ann": ("ann.zip",),
        "Ben": ("joe9.ipynb",),
        "Jane": children[:2],
        "Joe": ("joe1.ipynb",),
        "x": ("x.ipynb",),
    }
    assert told == (
        "roster: row 7 says what row 3 said",
        "roster: row 6: nothing of Cy is there (cy)",
        "roster: no row is for x.ipynb: graded as x",
    )


FAULTY_ROSTERS = [
    ("name,file\nJane,a\n", "its first row must name the columns student and file"),
    ("student\nJane\n", "its first row must name the columns student and file"),
    ("", "its first row must name the columns student and file"),
    ("student,file\nJane,\n", "row 2 needs a student and a file"),
    ("student,file\n,a\n", "row 2 needs a student and a file"),
    ("student,file\nJane,a\nJoe,a\n", "row 3 gives a to Joe, and row 2 to Jane; keep one of them"),
    ("student,pattern\nJane,a*\nJoe,*a\n", "a.ipynb is of Jane by row 2 and of Joe by row 3"),
    ('student,file\n"Jane,a\n', "is no CSV"),
]


@pytest.mark.parametrize(("table", "words"), FAULTY_ROSTERS, ids=[row[1] for row in FAULTY_ROSTERS])
def test_a_faulty_roster_is_told_in_one_line(tmp_path: Path, table: str, words: str) -> None:
    with pytest.raises(RosterError, match="roster") as raised:
        listed(tmp_path, table.replace("*a", "*a.ipynb"), "a.ipynb")
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"student,file\n\x00,\xff"])
def test_a_roster_of_other_bytes_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "roster.csv").write_bytes(data)
    with pytest.raises(RosterError):
        roster.read(tmp_path / "roster.csv")
    with pytest.raises(RosterError, match="cannot be read"):
        roster.read(tmp_path / "none.csv")


# One notebook

DEEP = b'{"nbformat": 4, "cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
V3 = {
    "nbformat": 3,
    "nbformat_minor": 0,
    "metadata": {},
    "worksheets": [{"metadata": {}, "cells": [{"cell_type": "code", "input": "x = 1", "metadata": {}, "outputs": []}]}],
}
FAULTS: list[tuple[bytes, str, int | None]] = [
    (b"", "is empty", None),
    (b" \n", "is empty", None),
    (GOOD[:-40], "is cut off: its JSON ends in the middle", None),
    (GOOD[:60], "is cut off: its JSON ends in the middle", None),
    (b"hello", "is no notebook: it is not JSON (line 1: Expecting value)", None),
    (b"PK\x03\x04 a zip", "is no notebook: it is not JSON", None),
    (b"\xff\xd8\xff", "is no notebook: it is not UTF-8 text", None),
    (b"[]", "is no notebook: it names no notebook format", None),
    (b"{}", "is no notebook: it names no notebook format", None),
    (b'{"nbformat": "4"}', "is no notebook: it names no notebook format", None),
    (b'{"nbformat": true, "cells": []}', "is no notebook: it names no notebook format", None),
    (b'{"nbformat": ' + b"9" * 5_000 + b"}", "is no notebook: its JSON holds what no notebook does", None),
    (DEEP, "is no notebook: its JSON holds what no notebook does", None),
    (b'{"nbformat": 4}', "is no notebook: it has no list of cells", None),
    (book(number=5), "is of notebook format 5; this kit reads 4 and older", None),
    (b'{"nbformat": 3}', "is of notebook format 3, and could not be upgraded to 4", None),
    (json.dumps(V3).encode(), "is of notebook format 3, and was upgraded to 4", 1),
    (book(), "has no code cells", 0),
    (book(cell("# only", kind="markdown")), "has no code cells", 1),
    (book(*[cell("1")] * 1_001), "has 1,001 cells; the most is 1,000", None),
    (b" " * (notebook.MOST_BYTES + 1) + GOOD, "is 8.0 MB; the most is 8 MB: clear the outputs", None),
    (book(ANSWER, {"cell_type": "code"}), "is no valid notebook (", 1),
    (book(ANSWER, 5), "is no valid notebook (its cell 2 is no cell)", 1),  # type: ignore[arg-type]
    (book(ANSWER, cell("x") | {"metadata": 5}), "is no valid notebook (", 2),
    (book(ANSWER, cell("x") | {"source": {}}), "is no valid notebook (", 1),
]


@pytest.mark.parametrize(("data", "words", "cells"), FAULTS, ids=[row[1][:40] for row in FAULTS])
def test_a_fault_of_a_notebook_is_told(data: bytes, words: str, cells: int | None) -> None:
    read = notebook.read(data)
    assert [remark[: len(words)] for remark in read.remarks] == [words]
    assert (None if read.cells is None else len(read.cells)) == cells


def test_a_notebook_is_read_to_its_cells() -> None:
    lines = ["def next_cron(expr, now_ms):\r\n", "    ..."]
    read = notebook.read(
        b"\xef\xbb\xbf" + book(ANSWER | {"source": lines}, cell("x = 1"), cell("# y", kind="markdown"))
    )
    assert read.remarks == ()
    assert read.cells is not None
    told = [(each.number, each.kind, each.id, each.source) for each in read.cells]
    assert told == [
        (1, "code", "ex-1-3-answer", "def next_cron(expr, now_ms):\n    ..."),
        (2, "code", "", "x = 1"),
        (3, "markdown", "", "# y"),
    ]
    assert read.cells[0].tags == {"answer", "1.3"}


# One submission


def read(tmp_path: Path, **children: bytes | dict[str, bytes]) -> collect.Handed:
    folder = made(tmp_path / "class", {name.replace("__", "."): content for name, content in children.items()})
    (submission,) = collect.listing(folder).submissions
    return collect.read(folder, submission)


BOMB = zipped({"01.ipynb": b" " * (notebook.MOST_BYTES * 20)})
ZIPS: list[tuple[bytes, list[str], list[str]]] = [
    (zipped({"manifest.json": b"{}", "01.ipynb": GOOD, "a/02.ipynb": GOOD}), ["01.ipynb", "a/02.ipynb"], []),
    (
        zipped({"__MACOSX/._01.ipynb": b"x", ".ipynb_checkpoints/01.ipynb": GOOD, "01.ipynb": GOOD, "data.csv": b""}),
        ["01.ipynb"],
        [],
    ),
    (
        zipped({"../01.ipynb": GOOD, "/02.ipynb": GOOD, "a/../../03.ipynb": GOOD, "C:\\04.ipynb": GOOD}),
        [],
        ["has a name that leads out of the zip file: not read"] * 4,
    ),
    (zipped({"in.zip": zipped({"01.ipynb": GOOD})}), [], ["is a zip file in a zip file: not opened"]),
    (BOMB, [], ["is 160.0 MB; the most is 8 MB: clear the outputs and hand it in again"]),
    (zipped({"01.ipynb": GOOD}, way=zipfile.ZIP_LZMA), [], ["is compressed in another way than zip files usually are"]),
    (zipped({"01.ipynb": GOOD}, way=zipfile.ZIP_STORED).replace(b"next", b"tent", 1), [], ["is damaged in the zip"]),
    (zipped({"01.ipynb": GOOD})[:-30], [], ["is no zip file that can be read: damaged, or cut off"]),
    (b"", [], ["is no zip file that can be read: damaged, or cut off"]),
    (GOOD, [], ["is no zip file that can be read: damaged, or cut off"]),
    (zipped({f"{n}.ipynb": b"" for n in range(501)}), [], ["is a zip file of 501 members; the most is 500"]),
    (zipped({"a.txt": b""}), [], []),
]


@pytest.mark.parametrize(("data", "names", "faults"), ZIPS)
def test_a_zip_file_is_read_within_bounds(tmp_path: Path, data: bytes, names: list[str], faults: list[str]) -> None:
    handed = read(tmp_path, jdoe__zip=data)
    assert [found.name for found in handed.found] == [f"jdoe.zip/{name}" for name in names]
    told = [remark.partition(": ")[2] for remark in handed.remarks if remark != "no notebook could be read"]
    assert [words[: len(fault)] for words, fault in zip(told, faults, strict=True)] == faults


def spoilt(change: Callable[[zipfile.ZipInfo], None], name: str = "01.ipynb") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        entry = zipfile.ZipInfo(name)
        change(entry)
        file.writestr(entry, GOOD)
    return buffer.getvalue()


def test_a_link_in_a_zip_file_is_not_followed(tmp_path: Path) -> None:
    data = spoilt(lambda entry: setattr(entry, "external_attr", 0o120777 << 16))
    assert read(tmp_path, jdoe__zip=data).remarks[0] == "jdoe.zip/01.ipynb: is a symbolic link: not followed"


def test_an_encrypted_member_is_told(tmp_path: Path) -> None:
    data = bytearray(zipped({"01.ipynb": GOOD}))
    data[data.find(b"PK\x01\x02") + 8] |= 1
    assert read(tmp_path, jdoe__zip=bytes(data)).remarks[0] == "jdoe.zip/01.ipynb: is encrypted: not read"


def test_a_size_that_lies_is_found_out(tmp_path: Path) -> None:
    data = bytearray(BOMB)
    at = data.find(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 1_000)
    (remark, _) = read(tmp_path, jdoe__zip=bytes(data)).remarks
    assert remark.startswith("jdoe.zip/01.ipynb: ")


def test_the_members_are_counted_before_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    many = zipped({f"{n}": b"" for n in range(3)})
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("it was opened"))
    end = many.rfind(b"PK\x05\x06")
    locator = b"PK\x06\x07" + bytes(16)
    for data, words in (
        (many[:end] + many[end : end + 10] + b"\xff\xff" + many[end + 12 :], "is a zip file of 65,535 members"),
        (many[: end + 12] + struct.pack("<I", 1 << 30) + many[end + 16 :], "is a zip file of 3 members"),
        (many[:end] + locator + many[end:], "is a zip file of the kind for more than 4 GB"),
    ):
        ((_, _, fault),) = archive.notebooks(io.BytesIO(data))
        assert fault.startswith(words)


def test_a_folder_is_read_in_order_and_within_bounds(tmp_path: Path) -> None:
    inner: dict[str, Any] = {
        "02.ipynb": GOOD,
        "b": {"bundle.zip": zipped({"03.ipynb": GOOD})},
        "a.txt": b"",
        "x.rar": b"",
    }
    inner |= {"d": {"d": {"d": {"d": {"d": {"deep.ipynb": GOOD}}}}}, ".ipynb_checkpoints": {"04.ipynb": GOOD}}
    inner |= {"01.ipynb": GOOD}
    handed = read(tmp_path, jdoe=inner)
    assert [found.name for found in handed.found] == ["jdoe/01.ipynb", "jdoe/02.ipynb", "jdoe/b/bundle.zip/03.ipynb"]
    assert handed.remarks == (
        "jdoe/x.rar: is no notebook, no zip file and no folder: not read",
        "jdoe/d/d/d/d/d: is too deep in folders: not looked at",
    )


def test_links_and_what_is_no_file_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.ipynb"
    secret.write_bytes(GOOD)
    inside = made(tmp_path / "class" / "jdoe", {})
    (inside / "link.ipynb").symlink_to(secret)
    (inside / "folder").symlink_to(tmp_path)
    os.mkfifo(inside / "pipe.ipynb")
    (tmp_path / "class" / "linked").symlink_to(inside)
    folder = tmp_path / "class"
    told = [collect.read(folder, each).remarks for each in collect.listing(folder).submissions]
    assert told == [
        (
            "jdoe/folder: is a symbolic link: not followed",
            "jdoe/link.ipynb: is a symbolic link: not followed",
            "jdoe/pipe.ipynb: cannot be read: it is no plain file",
            "no notebook could be read",
        ),
        ("linked: is a symbolic link: not followed", "no notebook could be read"),
    ]


def test_a_huge_notebook_is_told_by_its_size(tmp_path: Path) -> None:
    with (made(tmp_path / "class", {}) / "jdoe.ipynb").open("wb") as file:
        file.truncate(1 << 31)
    handed = collect.read(tmp_path / "class", Submission("jdoe", ("jdoe.ipynb",)))
    assert handed.remarks[0].startswith("jdoe.ipynb: is 2048.0 MB; the most is 8 MB")


OTHERS = [("report.pdf", "is no notebook, no zip file and no folder: not read"), ("gone.ipynb", "cannot be read")]


@pytest.mark.parametrize(("name", "words"), OTHERS)
def test_another_file_is_told(tmp_path: Path, name: str, words: str) -> None:
    made(tmp_path, {"report.pdf": b"%PDF"})
    handed = collect.read(tmp_path, Submission("jdoe", (name,)))
    assert handed.remarks[0].startswith(f"{name}: {words}")
    assert handed.remarks[-1] == "no notebook could be read"


def test_the_hash_covers_what_the_result_depends_on(tmp_path: Path) -> None:
    submission = Submission("jdoe", ("jdoe",))
    hashes = set()
    for number, content in enumerate(
        (
            {"01.ipynb": GOOD},
            {"01.ipynb": GOOD + b"\n"},
            {"01-x.ipynb": GOOD},
            {"01.ipynb": GOOD, "02.ipynb": GOOD},
            {"01.ipynb": GOOD, "x.zip": b""},
        )
    ):
        folder = made(tmp_path / str(number), {"jdoe": content})
        assert collect.read(folder, submission).content == collect.read(folder, submission).content
        hashes.add(collect.read(folder, submission).content)
    hashes.add(collect.read(tmp_path / "0", Submission("jane", ("jdoe",))).content)
    assert len(hashes) == 6


# Which dive


def found(name: str, *cells: dict[str, Any]) -> collect.Found:
    read = notebook.read(book(*cells))
    assert read.cells is not None
    return collect.Found(name, naming.told(name).file, read.cells, str(len(cells)) + name)


def answer(exercise: str, source: str = "x = 1") -> dict[str, Any]:
    return cell(source, f"ex-{exercise.replace('.', '-')}-answer", ("answer", exercise))


DIVES: list[tuple[str, list[dict[str, Any]], int | None]] = [
    ("x.ipynb", [answer("2.3")], 2),
    ("01-cron-vs-interval.ipynb", [answer("2.3")], 2),
    ("x.ipynb", [answer("1.1"), answer("3.1"), answer("3.2")], 3),
    ("x.ipynb", [cell("x", "", ("answer", "3.1"))], 3),
    ("doejane_1_2_01-cron-vs-interval-2.ipynb", [cell("x")], 1),
    ("The_Upsert (1).ipynb", [cell("x")], 2),
    ("3 - final.ipynb", [cell("x")], 3),
    ("03.ipynb", [cell("x")], 3),
    ("homework.ipynb", [cell("x")], None),
    ("2026.ipynb", [cell("x")], None),
    ("00-hub.ipynb", [cell("x")], None),
]


@pytest.mark.parametrize(("name", "cells", "dive"), DIVES, ids=[f"{row[0]}-{row[2]}" for row in DIVES])
def test_a_notebook_is_known_by_its_answer_cells_then_by_its_name(
    name: str, cells: list[dict[str, Any]], dive: int | None
) -> None:
    plans, remarks = dives.plans([found(name, *cells)])
    assert list(plans) == ([dive] if dive else [])
    assert bool(remarks) == (name in ("homework.ipynb", "2026.ipynb") or (name.startswith("01") and dive == 2))


def test_of_two_notebooks_for_a_dive_the_one_that_answers_most_counts() -> None:
    one, two = answer("1.2", "def next_interval(prev_ms, every_ms): return 1"), answer("1.3", "next_cron = 5")
    books = [found("1-a.ipynb", one, two), found("1-b10.ipynb", one), found("1-b9.ipynb", one)]
    _, (remark,) = dives.plans(books)
    assert remark == (
        "dive 1: 3 notebooks were handed in; 1-a.ipynb answers most and was graded, 1-b10.ipynb, 1-b9.ipynb not"
    )
    _, (remark,) = dives.plans(books[1:])
    assert "1-b10.ipynb answers most" in remark
