"""The tables of marks and the class report: each takes what other systems take, and tells what stands in the way."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from graded_class import CLASS, HOSTILE, RAISED, REWRITTEN, SEED, STRICTLY, graded, put, verdict
from test_grading_pages import is_sound

from echomq_lab.checks.exercises import IDS
from echomq_lab.checks.verdict import Status
from echomq_lab.cli import main
from echomq_lab.grading import exports, report
from echomq_lab.grading.graded import Graded

EVERY = CLASS | {"hostile": HOSTILE}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def files(out: Path) -> dict[str, bytes]:
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and "results" not in path.relative_to(out).parts[:1]
    }


def test_grades_have_a_row_a_student_with_points_and_words(tmp_path: Path) -> None:
    out = put(tmp_path, dict(reversed(CLASS.items())))
    exports.write(out)
    found = rows(out / "grades.csv")
    columns = [column for each in IDS for column in (each, f"{each} status")]
    assert list(found[0]) == ["student", *columns, "total", "kit", "seed", "isolation"]
    assert [row["student"] for row in found] == list(CLASS)
    for row, each in zip(found, CLASS.values(), strict=True):
        assert {column: row[column] for column in columns} == {
            column: value
            for verdict in each.verdicts
            for column, value in (
                (verdict.exercise, str(verdict.earned)),
                (f"{verdict.exercise} status", verdict.status.value),
            )
        }
        assert (row["total"], row["kit"], row["seed"], row["isolation"]) == (str(each.total), "0.1.0", each.seed, "on")
    assert [row["total"] for row in found] == ["100", "61", "72", "84", "0"]


def test_canvas_takes_one_assignment_and_no_mark_of_what_could_not_be_graded(tmp_path: Path) -> None:
    out = put(tmp_path, CLASS | {"pp": graded("Points Possible")})
    exports.write(out)
    with (out / "canvas.csv").open(encoding="utf-8", newline="") as file:
        head, possible, *rest = csv.reader(file)
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "EchoMQ Lab"]
    assert possible == ["    Points Possible", "", "", "", "", "100"]
    assert rest == [
        ["", "", "Points Possible", "Points Possible", "", "100"],
        ["ada", "", "ada", "ada", "", "100"],
        ["ben", "", "ben", "ben", "", "61"],
        ["cem", "", "cem", "cem", "", "72"],
        ["dot", "", "dot", "dot", "", ""],
        ["eve", "", "eve", "eve", "", "0"],
    ]


@pytest.mark.parametrize(
    ("submission", "canvas_id"),
    [
        ("doejane_12345_678_01-cron-vs-interval.ipynb, doejane_12345_679_02-the-upsert.ipynb", "12345"),
        ("doejane_LATE_12345_678_bundle.zip", "12345"),
        ("doejane_12345_678_x_9_9_bundle.zip", "12345"),
        ("team_42", ""),
        ("ada.zip", ""),
    ],
)
def test_canvas_is_told_its_own_id_where_the_file_has_it(submission: str, canvas_id: str, tmp_path: Path) -> None:
    out = put(tmp_path, {"a": graded("Ada", submission=submission)})
    exports.write(out)
    row = rows(out / "canvas.csv")[1]
    login = "" if canvas_id else "Ada"
    assert row == {
        "Student": "Ada",
        "ID": canvas_id,
        "SIS User ID": login,
        "SIS Login ID": login,
        "Section": "",
        "EchoMQ Lab": "100",
    }


def test_moodle_takes_a_grade_with_feedback_in_words(tmp_path: Path) -> None:
    out = put(tmp_path, CLASS | {"fay": graded("fay", isolated=False)})
    exports.write(out)
    found = rows(out / "moodle.csv")
    assert [(row["student"], row["EchoMQ Lab (Real)"]) for row in found] == [
        ("ada", "100"),
        ("ben", "61"),
        ("cem", "72"),
        ("dot", ""),
        ("eve", "0"),
        ("fay", "100"),
    ]
    words = found[1]["EchoMQ Lab (Feedback)"]
    assert "1.3 wrong (5 of 10); 1.4 right (6 of 6); 1.5 timed out (0 of 6)" in words
    assert found[5]["EchoMQ Lab (Feedback)"].endswith("; graded without isolation")


def test_gradescope_takes_each_exercise_as_a_test() -> None:
    told = json.loads(exports.gradescope(CLASS["ben"]))
    assert set(told) == {"score", "output", "output_format", "visibility", "tests"}
    assert (told["score"], told["visibility"]) == (61, "visible")
    assert told["output"].startswith("Graded with echomq-lab 0.1.0, seed ")
    assert "ex-3-3-answer raised NameError" in told["output"]
    assert [test["number"] for test in told["tests"]] == list(IDS)
    assert sum(test["score"] for test in told["tests"]) == told["score"]
    assert sum(test["max_score"] for test in told["tests"]) == 100
    keys = {"name", "number", "score", "max_score", "output", "output_format", "visibility"}
    assert all(set(test) == keys for test in told["tests"])
    assert STRICTLY.says in told["tests"][2]["output"]
    assert SEED not in exports.gradescope(CLASS["ben"])


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\r=1", "\uff1d1", "\uff0b1"]
PLAIN = ["ada", "Müller, Ada", 'say "hi"', "a=b", "1-2", "李", "two\nlines"]


@pytest.mark.parametrize("student", FORMULAS + PLAIN)
def test_no_name_is_a_formula_and_every_name_is_one_cell(student: str, tmp_path: Path) -> None:
    out = put(tmp_path, {"a": graded(student)})
    exports.write(out)
    for name, column in (("grades", "student"), ("canvas", "SIS User ID"), ("moodle", "student")):
        content = (out / f"{name}.csv").read_bytes()
        assert content.count(b"\r\n") == content.count(b"\n") == (3 if name == "canvas" else 2)
        cell = rows(out / f"{name}.csv")[-1][column]
        assert cell.lstrip("'") == student.replace("\t", "\\t").replace("\r", "\\r").replace("\n", "\\n")
        assert not cell.strip().startswith(("=", "+", "-", "@", "\uff1d", "\uff0b"))
        assert cell.startswith("'") is (student.strip()[0] in "=+-@\uff1d\uff0b" and student[0] not in "\t\r")


def test_exports_and_report_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    written = []
    for name in ("one", "two"):
        out = put(tmp_path / name / "out", EVERY)
        exports.write(out)
        report.write(out, report.tallied([out]))
        written.append(files(out))
    assert written[0] == written[1]
    kinds = {"grades.csv", "canvas.csv", "moodle.csv", "report.html", "report.json"}
    assert set(written[0]) == kinds | {f"gradescope/{name}/results.json" for name in EVERY}
    for name, content in written[0].items():
        assert SEED.encode() not in content, name
        assert str(tmp_path).encode() not in content, name


# The class report


def data(*results: Graded) -> dict[str, Any]:
    tally = report.Tally()
    for each in results:
        tally.add("1", each)
    return tally.to_data()


def test_the_report_counts_statuses_misconceptions_and_checks() -> None:
    told = data(*CLASS.values())
    assert told["students"] == 5
    assert told["scores"] == {
        "points": 100,
        "lowest": 0,
        "median": 72,
        "mean": 63.4,
        "highest": 100,
        "bins": [
            {"from": low, "to": 100 if low == 90 else low + 9, "students": count}
            for low, count in zip(range(0, 100, 10), [1, 0, 0, 0, 0, 0, 1, 1, 1, 1], strict=True)
        ],
    }
    exercises = {each["exercise"]: each for each in told["exercises"]}
    assert list(exercises) == list(IDS)
    assert exercises["2.3"] == {
        "exercise": "2.3",
        "title": "REGISTER_LUA",
        "points": 12,
        "mean": 4.8,
        "statuses": {
            "right": 1,
            "wrong": 2,
            "not answered": 1,
            "timed out": 0,
            "crashed": 0,
            "could not be graded": 1,
        },
        "tried": 3,
        "misconceptions": [{"name": "the record is rewritten", "says": REWRITTEN.says, "students": 2}],
        "checks": [
            {"check": "type", "points": 6, "passed": 3},
            {"check": "a second boot", "points": 6, "passed": 1},
        ],
    }
    assert exercises["1.5"]["misconceptions"] == [
        {"name": "late", "says": "The answer was stopped: it did not end.", "students": 1}
    ]
    assert exercises["3.5"]["misconceptions"] == []
    assert told["remarks"] == [
        {"remark": "cell ex-3-3-answer raised NameError: name 'jobz' is not defined", "submissions": 2}
    ]
    assert told["could not be graded"] == {"students": 1, "named": ["dot"]}
    assert (told["differ"], told["again"]) == ([], [])


def test_a_check_that_nobody_passed_is_named() -> None:
    told = data(graded("a", [verdict("2.3", Status.WRONG, REWRITTEN, earned=6)]))
    table = dict(report.tables(told))["Checks that nobody passed"]
    assert table.rows == (("2.3", "a second boot", "6", "1"),)


def test_the_commonest_comes_first_and_five_are_told() -> None:
    others = [
        graded(
            f"{number}-{copy}",
            [verdict("3.3", Status.WRONG, RAISED.__class__("plain", f"m{number}", "says", *"gcen"), earned=7)],
        )
        for number in range(7)
        for copy in range(1 + number // 2)
    ]
    found = next(each for each in data(*others)["exercises"] if each["exercise"] == "3.3")["misconceptions"]
    assert [(each["name"], each["students"]) for each in found] == [
        ("m6", 4),
        ("m4", 3),
        ("m5", 3),
        ("m2", 2),
        ("m3", 2),
    ]


def test_several_runs_are_joined_and_their_differences_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    again = CLASS["ben"]
    first = put(tmp_path / "0", {"ada": CLASS["ada"], "ben": again})
    second = put(tmp_path / "1", {"ben": again, "cem": CLASS["cem"], "ada": graded("ada", isolated=False, seed="x")})
    third = put(tmp_path / "2", {"eve": graded("eve", kit="0.2.0")})
    out = tmp_path / "class"
    assert main(["report", *map(str, (first, second, third)), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    for line in (
        "4 students.",
        f"Run 1 (0): 2 results, echomq-lab 0.1.0, seed {again.seed} (its fingerprint), isolation on.",
        "Run 3 (2): 1 result, echomq-lab 0.2.0",
        "! Graded without isolation",
        "! The results differ in the version of the kit, the seed, isolation: they were not all graded alike.",
        "! ada is there again: run 1 (0) counts, run 2 (1) has another result, which does not count here.",
        "! ben is there again: run 1 (0) counts, run 2 (1) has the same result.",
        f"wrote report.html, report.json, grades.csv, canvas.csv and moodle.csv in {out}",
    ):
        assert line in printed
    assert sorted(files(out)) == ["canvas.csv", "grades.csv", "moodle.csv", "report.html", "report.json"]
    marks = [(row["student"], row["isolation"]) for row in rows(out / "grades.csv")]
    assert marks == [("ada", "OFF"), ("ada", "on"), ("ben", "on"), ("cem", "on"), ("eve", "on")]


def test_a_run_that_is_there_twice_is_told_in_a_few_lines() -> None:
    students = [graded(f"s{number}") for number in range(50)]
    told = data(*students, *students)
    assert (told["students"], len(told["again"])) == (50, 50)
    warnings = list(report.warnings(told))
    assert len(warnings) == 21
    assert warnings[-1] == "30 more results are of students who are there again: report.json names them."


def test_one_run_is_reported_where_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = put(tmp_path / "out", CLASS)
    assert main(["report", str(out), str(out)]) == 0
    printed = capsys.readouterr().out
    assert printed.endswith(f"\n\nwrote report.html and report.json in {out}\n")
    assert "  2.3       REGISTER_LUA    1      2      1             0          0        1" in printed
    assert max(map(len, printed.splitlines()[:-1])) <= 140
    assert sorted(files(out)) == ["report.html", "report.json"]


def test_the_page_tells_what_the_text_tells() -> None:
    told = data(*EVERY.values())
    parsed = is_sound(report.page(told))
    for heading, table in report.tables(told):
        assert heading in parsed.text
        for row in table.rows:
            assert all(cell in parsed.text for cell in row)
    for line in [*report.lines(told), *report.warnings(told)]:
        assert line in parsed.text
    pictures = [attrs["aria-label"] for tag, attrs in parsed.tags if tag == "svg"]
    assert pictures == [f"Bars: how many students have how many of 100 points. {_bars(told)}."]


def _bars(told: dict[str, Any]) -> str:
    return ", ".join(f"{each['from']} to {each['to']}: {each['students']}" for each in told["scores"]["bins"])


def test_without_results_the_command_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        f"echomq-lab: there are no results in {tmp_path}; `echomq-lab grade FOLDER --out DIR` makes them\n"
    )
