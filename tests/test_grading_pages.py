"""The feedback of a student: whatever is in a result, a page that is whole, the same each time, and tells no secret."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from graded_class import CLASS, HOSTILE, NOW_MS, REWRITTEN, SEED, SOME_WRONG, STRICTLY, TAG, graded, put, verdict

from echomq_lab.checks.exercise import Marks
from echomq_lab.checks.verdict import Status
from echomq_lab.grading import pages, report, results
from echomq_lab.grading.feedback import MOST_INSTANTS, feedback, instants, lines
from echomq_lab.grading.graded import Graded, ResultError
from echomq_lab.grading.results import FolderError

#: Elements that have no end tag.
VOID = {"meta", "img", "br", "link", "input"}
#: What may stand in a page, and in the pictures in it.
HTML = set(
    "html head meta title style body main h1 h2 h3 p strong div table caption thead tbody tfoot tr th td".split()
)
HTML |= set("section dl dt dd a ul li svg metadata defs g path use text clippath rect".split())


class Parsed(HTMLParser):
    """The elements, headings, links and text of a page; an end tag that ends nothing is a fault."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[int] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data if not self.open or self.open[-1] != "style" else ""

    def attributes(self) -> Iterator[tuple[str, str]]:
        for _, attrs in self.tags:
            yield from ((name, value or "") for name, value in attrs.items())


def is_sound(page: str) -> Parsed:
    """A page without script, without anything from elsewhere, with a real heading order and no id twice."""
    parsed = Parsed(page)
    assert {tag for tag, _ in parsed.tags} <= HTML
    assert parsed.headings[0] == 1
    assert parsed.headings.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(parsed.headings, parsed.headings[1:], strict=False))
    ids = [value for name, value in parsed.attributes() if name == "id"]
    assert len(ids) == len(set(ids))
    for name, value in parsed.attributes():
        assert not name.startswith("on")
        assert name not in ("src", "action", "srcset", "data", "poster")
        if name in ("href", "xlink:href"):
            assert value.startswith("#")
            assert value[1:] in ids
    assert not re.search(r"url\((?!#)|@import", page)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e\ud800-\udfff]", page)
    return parsed


EVERY = CLASS | {"hostile": HOSTILE}


@pytest.mark.parametrize("name", EVERY)
def test_a_page_is_sound_and_the_same_each_time(name: str) -> None:
    page = pages.page(EVERY[name])
    is_sound(page)
    pages._picture.cache_clear()
    assert pages.page(EVERY[name]) == page
    assert pages.data(EVERY[name]) == pages.data(EVERY[name])


def test_a_page_names_the_check_the_case_and_the_next_step() -> None:
    parsed = is_sound(pages.page(CLASS["ben"]))
    for words in (
        "61 of 100 points",
        "1.3 next_cron: wrong, 5 of 10 points",
        "at a slot",
        STRICTLY.says,
        STRICTLY.given,
        STRICTLY.came,
        STRICTLY.expected,
        STRICTLY.next,
        "1.5 next_cron_tz: timed out, 0 of 6 points",
        "3.1 runs: crashed, 0 of 4 points",
        "3.5 drift_ms: not answered, 0 of 4 points",
        REWRITTEN.given,
        "valkey",
        "ex-3-3-answer raised NameError",
        f"Graded with echomq-lab 0.1.0, seed {CLASS['ben'].seed} (its fingerprint), isolation on.",
    ):
        assert words in parsed.text, words
    alt = (
        "Lane expected: next run (the library), circles: 08:50 now. Lane yours: next run (your answer), crosses: 08:51."
    )
    (picture,) = (attrs["aria-label"] or "" for tag, attrs in parsed.tags if tag == "svg")
    assert picture.endswith(alt)
    assert "Monday 5 January 2026, 08:51 UTC" in parsed.text


@pytest.mark.parametrize("render", [pages.page, pages.data], ids=["html", "json"])
def test_feedback_holds_neither_the_seed_nor_a_misconceptions_name_nor_more_than_the_case(render: Any) -> None:
    told = render(CLASS["ben"])
    assert SEED not in told
    for name in ("strictly after", "the record is rewritten", "raises", "late"):
        assert not re.search(f"[\"'>]{name}[\"'<]", told), name
    keys = {"check", "says", "given", "came", "expected", "on", "next", "instants"}
    for each in feedback(CLASS["ben"])["exercises"]:
        assert set(each) == {"exercise", "title", "status", "earned", "points", "checks", "failure"}
        assert each["failure"] is None or set(each["failure"]) == keys


def test_all_right_is_said() -> None:
    text = is_sound(pages.page(CLASS["ada"])).text
    assert "Nothing: every answer is right." in text
    assert "Graded without isolation" not in text


def test_a_result_without_isolation_is_loud() -> None:
    parsed = is_sound(pages.page(graded(isolated=False)))
    assert "Graded without isolation." in parsed.text
    assert "isolation OFF." in parsed.text


def test_hostile_text_is_shown_as_text_and_cut() -> None:
    page = pages.page(HOSTILE)
    assert TAG in is_sound(page).text
    assert len(page) < 120_000
    assert len(pages.data(HOSTILE)) < 80_000
    assert "and 960 more" in page
    json.loads(pages.data(HOSTILE))


MARKS = [
    (Marks(NOW_MS, (NOW_MS,), ()), True, ["now"]),
    (Marks(NOW_MS, (NOW_MS,), (-1, 10**39)), True, ["now", "", ""]),
    (Marks(NOW_MS, (NOW_MS,), (253_402_300_799_999,), "Asia/Tokyo"), True, ["now", ""]),
    (
        Marks(NOW_MS, (NOW_MS,), tuple(range(NOW_MS + 1, NOW_MS + 2_000))),
        True,
        ["now", *(f"in {ms} ms" if ms > 1 else "in 1 ms" for ms in range(1, MOST_INSTANTS + 1)), ""],
    ),
]


@pytest.mark.parametrize(("marks", "drawn", "away"), MARKS, ids=["none", "outside", "last day", "many"])
def test_any_instants_are_told_and_drawn_where_a_clock_shows_them(marks: Marks, drawn: bool, away: list[str]) -> None:
    assert [each["away"].replace("milliseconds", "ms").replace("millisecond", "ms") for each in instants(marks)] == away
    page = pages.page(graded(others=[verdict("3.1", Status.WRONG, replace(STRICTLY, marks=marks))]))
    assert ("<svg" in page) is drawn
    is_sound(page)


def test_the_text_of_an_exercise_tells_what_the_page_tells() -> None:
    told = {each["exercise"]: "\n".join(lines(each)) for each in feedback(graded(others=SOME_WRONG))["exercises"]}
    assert told["1.1"] == "right, 4 of 4 points"
    assert told["2.3"] == (
        "wrong, 6 of 12 points\n"
        "First check that fails: a second boot\n"
        f"{REWRITTEN.says}\n"
        "  given     a queue in which there is daily-report\n"
        "            now 1767603000000: REGISTER_LUA, every_ms 900000, template '{}'\n"
        "  came      emq:{q}:repeat:daily-report holds every_ms = 900000, template = {}\n"
        '  expected  emq:{q}:repeat:daily-report holds every_ms = 60000, template = {"to": "ops"}\n'
        "  on        valkey\n"
        f"Try next: {REWRITTEN.next}"
    )


def test_every_result_gets_its_files_and_again_the_same_bytes(tmp_path: Path) -> None:
    out = put(tmp_path, EVERY)
    (out / "results" / ".half.json").write_text("{")
    pages.write(out)
    written = {path.name: path.read_bytes() for path in (out / "feedback").iterdir()}
    assert sorted(written) == sorted(f"{name}.{kind}" for name in EVERY for kind in ("html", "json"))
    pages.write(out)
    assert {path.name: path.read_bytes() for path in (out / "feedback").iterdir()} == written


@pytest.mark.parametrize(
    ("name", "content", "error", "says"),
    [
        (None, b"", FolderError, "there are no results in "),
        ("a.json", b"{}", ResultError, "a.json: this is no result of a grading"),
        ("a.json", b"\xff", ResultError, "a.json: "),
    ],
)
def test_what_is_no_result_is_told_in_one_line(
    name: str | None, content: bytes, error: type[Exception], says: str, tmp_path: Path
) -> None:
    if name:
        (tmp_path / "results").mkdir()
        (tmp_path / "results" / name).write_bytes(content)
    for command in (pages.write, lambda out: report.tallied([out])):
        with pytest.raises(error) as raised:
            command(tmp_path)
        assert says in str(raised.value)
        assert "\n" not in str(raised.value)


def test_a_file_that_cannot_be_written_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(FolderError, match=r"cannot write .*taken: Is a directory"):
        results.write(tmp_path / "taken", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_results_are_read_one_at_a_time(tmp_path: Path) -> None:
    out = put(tmp_path, CLASS)
    found: list[tuple[str, Graded]] = []
    for name, each in results.read(out):
        (out / "results" / f"{name}.json").unlink()
        found.append((name, each))
    assert found == sorted(CLASS.items())
