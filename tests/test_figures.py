"""The rail: what it shows is what its alternative text names, and its bytes do not change from run to run."""

import importlib.util
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from echomq_lab import figures, scenario
from echomq_lab.cadence import Cron
from echomq_lab.clock import FixedClock, instant_ms
from echomq_lab.errors import ArgumentError
from echomq_lab.scenario import CadenceRun, Lane
from echomq_lab.store import connect
from echomq_lab.trace import Trace

PROJECT = Path(__file__).resolve().parent.parent
SVG = "{http://www.w3.org/2000/svg}"

ALT = (
    "A clock rail with 2 lanes; now is Monday 5 January 2026, 08:50 UTC. "
    "Lane cron 0 9 * * * (predicted: computed by the rule), diamonds: 09:00; "
    "beyond the right edge: Tue 6 Jan 09:00, Wed 7 Jan 09:00. "
    "Lane interval every_ms 900000, every 15 minutes (scores that ZADD wrote), circles: 09:05, 09:20, 09:35."
)

# expression, zone, every_ms, runs, now
CASES = [
    ("0 9 * * *", "UTC", 900_000, 3, "08:50"),
    ("0 9 * * *", "UTC", 900_000, 3, "09:00:00.000"),
    ("0 9 * * *", "UTC", 900_000, 3, "09:00:00.001"),
    ("* * * * *", "UTC", 86_400_000, 10, "08:50"),
    ("0,1,2 9 * * 1-5", "America/New_York", 46_800_000, 6, "08:50"),
    ("0,1,2,3 9 * * *", "UTC", 46_800_000, 9, "08:50"),
    ("* * * * *", "UTC", 250, 10, "08:50"),
    ("*/7 * * * *", "UTC", 1, 1, "08:50"),
    ("0 0 29 2 *", "UTC", 2_592_000_000, 12, "08:50"),
    ("0 9 * * *", "UTC", 946_080_000_000, 2, "08:50"),
]


def cadences(expr: str, tz: str, every_ms: int, runs: int, now: str) -> CadenceRun:
    with connect("embedded://fakeredis", clock=FixedClock(now)) as conn:
        return scenario.cadences(conn, "rules", cron=Cron(expr, tz), every_ms=every_ms, runs=runs)


def rail(expr: str, tz: str, every_ms: int, runs: int, now: str) -> figures.Rail:
    return figures.rail(cadences(expr, tz, every_ms, runs, now))


@pytest.fixture(scope="module")
def verdicts() -> figures.Rail:
    return rail(*CASES[0])


def ids(svg: str) -> list[str]:
    return re.findall(r'\bid="([^"]+)"', svg)


def texts(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ET.fromstring(svg).iter(f"{SVG}text")]


def test_the_alternative_text_names_every_mark(verdicts: figures.Rail) -> None:
    assert verdicts.alt == repr(verdicts) == ALT
    assert ET.fromstring(verdicts.svg()).get("aria-label") == ALT
    assert ET.fromstring(verdicts.svg()).get("role") == "img"


def test_the_picture_says_the_seeds_verdicts(verdicts: figures.Rail) -> None:
    shown = texts(verdicts.svg())
    for words in (
        "now 08:50",
        "09:00",
        "09:05",
        "09:20",
        "09:35",
        "cron 0 9 * * * (predicted: computed by the rule)",
        "interval every_ms 900000, every 15 minutes (scores that ZADD wrote)",
        "beyond this edge: Tue 6 Jan 09:00, Wed 7 Jan 09:00",
        "Monday 5 January 2026, UTC",
    ):
        assert words in shown


def test_each_mark_has_a_gid_and_stands_at_its_time(verdicts: figures.Rail) -> None:
    svg = verdicts.svg()
    assert {"now", "cron-0", "interval-0", "interval-1", "interval-2"} <= set(ids(svg))
    assert {"cron-1", "interval-3"}.isdisjoint(ids(svg))
    places = {
        group.get("id"): float(use.get("x", "nan"))
        for group in ET.fromstring(svg).iter(f"{SVG}g")
        for use in group.findall(f".//{SVG}use")
    }
    gaps = [places[f"interval-{n + 1}"] - places[f"interval-{n}"] for n in (0, 1)]
    assert gaps[0] == pytest.approx(gaps[1], abs=0.01)
    assert places["interval-0"] - places["cron-0"] == pytest.approx(gaps[0] / 3, abs=0.01)


def test_lanes_differ_by_shape_and_fill_not_only_by_colour(verdicts: figures.Rail) -> None:
    lines = {line.get_gid(): line for line in verdicts.figure.axes[0].lines}
    cron, interval = lines["cron-0"], lines["interval-0"]
    assert (cron.get_marker(), interval.get_marker()) == ("D", "o")
    assert cron.get_markerfacecolor() == "none" != interval.get_markerfacecolor()


@pytest.mark.parametrize("case", CASES)
def test_no_label_lies_on_another_or_leaves_the_picture(case: tuple[str, str, int, int, str]) -> None:
    drawn = rail(*case)
    renderer = FigureCanvasAgg(drawn.figure).get_renderer()
    drawn.figure.draw(renderer)
    axes = drawn.figure.axes[0]
    labels = [text for text in axes.texts if text.get_text()]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in labels]
    for (one, box), (other, another) in combinations(boxes, 2):
        assert not box.overlaps(another), (one, other)
    for text, box in boxes:
        assert drawn.figure.bbox.x0 <= box.x0, text
        assert box.x1 <= drawn.figure.bbox.x1, text


@pytest.mark.parametrize("case", CASES)
def test_the_alternative_text_counts_every_mark_of_every_case(case: tuple[str, str, int, int, str]) -> None:
    run = cadences(*case)
    told_lanes = re.split(r" Lane (?=cron |interval )", figures.rail(run).alt)[1:]
    for lane, told in zip(run.lanes, told_lanes, strict=True):
        times = told.split("s: ", 1)[1] if lane.kind == "cron" else told.split("circles: ")[1]
        assert len(re.findall(r"\d\d:\d\d(?::\d\d(?:\.\d{3})?)?", times)) == len(lane.marks_ms)
        assert all(lane.marks_ms[n] < lane.marks_ms[n + 1] for n in range(len(lane.marks_ms) - 1))


def test_a_rule_in_a_zone_is_told_in_its_zone_over_an_axis_in_utc() -> None:
    shown = texts(rail("0 9 * * *", "Europe/Berlin", 900_000, 3, "07:50").svg())
    assert "cron 0 9 * * *, times in Europe/Berlin (predicted: computed by the rule)" in shown
    assert "09:00" in shown
    assert "now 07:50" in shown


def test_two_displays_on_one_page_share_no_id_and_follow_the_theme(verdicts: figures.Rail) -> None:
    one, other = verdicts._repr_html_(), verdicts._repr_html_()
    assert not set(ids(one)) & set(ids(other))
    for html in (one, other):
        assert len(ids(html)) == len(set(ids(html)))
        assert set(re.findall(r'(?:href="|url\()#([^")]+)', html)) <= set(ids(html))
        assert html.startswith('<svg role="img" aria-label="A clock rail')
        assert "var(--jp-content-font-color1, currentColor)" in html
        assert "#010203" not in html
        assert "<title" not in html


def test_a_rule_is_escaped() -> None:
    now_ms = instant_ms("08:50")
    lanes = (Lane("cron", "<b>$x^2$&", "says", "UTC", 0, (now_ms + 1,)),)
    drawn = figures.rail(CadenceRun(now_ms, lanes, Trace("rules")))
    assert "cron <b>$x^2$& (predicted: computed by the rule)" in texts(drawn.svg())
    assert "<b>" not in drawn._repr_html_()


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_same_run_makes_the_same_file(tmp_path: Path, kind: str) -> None:
    one, other = (rail(*CASES[0]).save(tmp_path / f"{n}.{kind}").read_bytes() for n in "ab")
    assert one == other
    assert b"#010203" not in one


def test_a_file_of_another_kind_is_refused(verdicts: figures.Rail, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"path must be a file that ends in \.svg or \.png"):
        verdicts.save(tmp_path / "rail.pdf")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("window", [5, (), (5, 5), (9, 5), (0.0, 1.0), (-1, 5), ("08:00", "09:00")], ids=ascii)
def test_a_window_is_two_instants(window: object) -> None:
    with connect("embedded://fakeredis", clock=FixedClock("08:50")) as conn:
        run = scenario.cadences(conn, "rules", cron=Cron("0 9 * * *"), every_ms=900_000)
    with pytest.raises(ArgumentError, match=r"^window_ms must be two Unix milliseconds, the earlier first, not "):
        figures.rail(run, window)


@pytest.mark.parametrize("path", [5, None, b"rail.svg", "rail", ""], ids=ascii)
def test_a_path_is_one_of_a_picture(verdicts: figures.Rail, path: object) -> None:
    with pytest.raises(ArgumentError, match=r"^path must be a file that ends in .svg or .png, not .*; try 'rail.svg'$"):
        verdicts.save(path)


@pytest.mark.parametrize("name", ["\0.svg", "\ud800.svg", "folder.svg", "no/such/folder.png"], ids=ascii)
def test_a_file_that_cannot_be_written_is_told(verdicts: figures.Rail, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(ArgumentError, match=r"^path must be a file that can be written, not '.*; it was told: "):
        verdicts.save(tmp_path / name)


def test_a_rail_is_of_a_run() -> None:
    with pytest.raises(
        ArgumentError, match=r"^run must be a run of two rules, not .*Trace.*; try run = scenario.cadences"
    ):
        figures.rail(Trace("rules"))


def test_the_committed_pictures_are_current(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("draw_images", PROJECT / ".ci" / "draw_images.py")
    assert spec is not None
    assert spec.loader is not None
    draw_images = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw_images)
    redraw = "draw them again: python .ci/draw_images.py"
    for path in draw_images.draw(tmp_path):
        shipped = draw_images.IMAGES / path.name
        if path.suffix == ".svg":
            assert shipped.read_bytes() == path.read_bytes(), redraw
            continue
        with Image.open(shipped) as old, Image.open(path) as new:
            assert old.info["Description"] == new.info["Description"] == ALT, redraw
            # Another processor may round a pixel's edge the other way.
            difference = np.asarray(old.convert("L"), float) - np.asarray(new.convert("L"), float)
        assert np.abs(difference).mean() < 0.5, redraw


def test_drawing_needs_no_pyplot_and_leaves_the_settings_alone() -> None:
    code = (
        "import sys, matplotlib\n"
        "from echomq_lab import Cron, FixedClock, connect, figures, scenario\n"
        "run = scenario.cadences(connect(clock=FixedClock()), 'r', cron=Cron('0 9 * * *'), every_ms=1)\n"
        "before = {name: matplotlib.rcParams[name] for name in figures.SETTINGS}\n"
        "figures.rail(run)._repr_html_()\n"
        "assert before == {name: matplotlib.rcParams[name] for name in figures.SETTINGS}\n"
        "assert before != figures.SETTINGS\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
