"""Dive 3's widgets as their reader has them, in JupyterLab: from the keyboard alone, light and dark."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, expect

from . import lab
from .conftest import THEMES, WIDTHS, Watched, fits

#: Both widgets, and how many comms the kernel holds: a cell each.
CELLS = {
    "tracer": "from echomq_lab.widgets import advance_tracer, pump_stepper\n\nadvance_tracer()",
    "stepper": "pump_stepper()",
    "comms": "from comm import get_comm_manager\n\nprint(len(get_comm_manager().comms))",
}
NAME = "dive3-probe.ipynb"
OPENING = {
    "tracer": "start-to-finish (not EchoMQ): 09:00 09:19 09:38 09:57;",
    "stepper": "Enqueue, then advance (EchoMQ). Steps done: 6 of 6: advance.",
}
SLIDER = {"tracer": "Run length", "stepper": "Steps done"}
TRACER_STOPS = [
    *(("button", name) for name in ("All", "Start-to-start", "Start-to-finish", "By score")),
    ("slider", "Period"),
    ("textbox", "Period, a number"),
    ("slider", "Run length"),
    ("textbox", "Run length, a number"),
    ("slider", "A sweep every"),
    ("slider", "Cycles"),
    ("textbox", "Cycles, a number"),
    ("slider", "Pump stopped"),
    ("button", "Start again"),
    ("group", "Picture"),
    ("group", "Runs"),
]
STEPPER_STOPS = [
    ("button", "Enqueue, then advance (EchoMQ)"),
    ("button", "Advance, then enqueue (not EchoMQ)"),
    ("button", "All in one script (atomic)"),
    ("slider", "Steps done"),
    ("textbox", "Steps done, a number"),
    *(("button", name) for name in ("Back a step", "Next step", "Kill the pump here", "Next tick")),
    ("button", "Stop the pump for an hour"),
    ("button", "Start again"),
    ("group", "Picture"),
    ("group", "Steps"),
]


@pytest.fixture(scope="module")
def probe(folder: Path) -> str:
    """A notebook that shows both widgets."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(code, id=name) for name, code in CELLS.items()]
    )
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / NAME)
    return NAME


@pytest.fixture
def both(eye: Watched, probe: str) -> Watched:
    """The page with the probe in it, both widgets shown."""
    if not eye.page.url.endswith(f"/{probe}"):
        eye.open(probe)
        lab.run_all(eye.page)
    return eye


def shown(eye: Watched, cell: str) -> Locator:
    """The app of a cell, begun again."""
    app = eye.page.locator(".jp-CodeCell").nth(list(CELLS).index(cell)).locator(".echomq-app")
    app.get_by_role("button", name="Start again", exact=True).press("Enter")
    expect(app.get_by_role("status")).to_contain_text(OPENING[cell])
    expect(app.get_by_role("slider", name=SLIDER[cell])).to_have_attribute("aria-valuetext", re.compile("^4 m|^6 of 6"))
    return app


@pytest.fixture
def tracer(both: Watched) -> Locator:
    return shown(both, "tracer")


@pytest.fixture
def stepper(both: Watched) -> Locator:
    return shown(both, "stepper")


def press(app: Locator, *names: str) -> None:
    for name in names:
        app.get_by_role("button", name=name, exact=True).press("Enter")


def says(app: Locator, words: str) -> None:
    expect(app.get_by_role("status")).to_contain_text(words)


@pytest.mark.parametrize(("cell", "stops"), [("tracer", TRACER_STOPS), ("stepper", STEPPER_STOPS)])
def test_every_control_is_reached_by_tab_and_has_a_name(both: Watched, cell: str, stops: list[tuple[str, str]]) -> None:
    app = shown(both, cell)
    role, name = stops[0]
    app.get_by_role(role, name=name, exact=True).focus()  # type: ignore[arg-type]
    for role, name in stops:
        expect(app.get_by_role(role, name=name, exact=True)).to_be_focused()  # type: ignore[arg-type]
        both.page.keyboard.press("Tab")
    assert not app.evaluate("app => app.contains(document.activeElement)")


def test_the_tracer_opens_on_the_verdict_and_moves_by_arrow_keys(tracer: Locator) -> None:
    says(tracer, "start-to-start (EchoMQ): 09:00 09:15 09:30 09:45;")
    says(tracer, "start-to-finish (not EchoMQ): 09:00 09:19 09:38 09:57;")
    expect(tracer.get_by_role("img")).to_have_attribute(
        "aria-label", re.compile("squares: 09:00, 09:19, 09:38; beyond")
    )
    tracer.get_by_role("slider", name="Run length").press("ArrowRight")
    says(tracer, "start-to-finish (not EchoMQ): 09:00 09:20 09:40 10:00;")
    expect(tracer.get_by_role("slider", name="Run length")).to_have_attribute("aria-valuetext", "5 minutes")
    tracer.get_by_role("slider", name="Period").press("ArrowRight")
    says(tracer, "start-to-start (EchoMQ): 09:00 09:16 09:32 09:48;")
    expect(tracer.get_by_role("row").nth(2)).to_contain_text("09:16")


def test_marks_stand_where_their_lane_says(tracer: Locator) -> None:
    says(tracer, "09:00 09:19 09:38 09:57")

    def x(gid: str) -> float:
        box = tracer.locator(f"[id$='-{gid}']").bounding_box()
        assert box is not None, gid
        return box["x"] + box["width"] / 2

    quarter = x("start-1") - x("start-0")
    assert x("start-3") - x("start-2") == pytest.approx(quarter, abs=1)
    assert x("finish-1") - x("finish-0") == pytest.approx(quarter * 19 / 15, abs=1)
    expect(tracer.locator("[id$='-finish-3']")).to_be_hidden()
    expect(tracer.locator("[id$='-now']")).to_be_hidden()


def test_an_outage_in_the_tracer(tracer: Locator) -> None:
    stopped = tracer.get_by_role("slider", name="Pump stopped")
    for value in ("10 minutes", "30 minutes", "1 hour"):
        stopped.press("ArrowRight")
        expect(stopped).to_have_attribute("aria-valuetext", value)
    says(tracer, "start-to-start (EchoMQ): 09:00 10:05 10:20 10:35;")
    says(tracer, "4 runs due meanwhile, 1 released")


def test_the_stepper_is_walked_killed_and_ticked_by_keyboard(stepper: Locator) -> None:
    says(stepper, "Steps done: 6 of 6: advance.")
    stepper.get_by_role("slider", name="Steps done").press("ArrowLeft")
    says(stepper, "Steps done: 5 of 6: enqueue.")
    expect(stepper.locator("[id$='-kill']")).to_have_css("visibility", "hidden")
    press(stepper, "Kill the pump here")
    says(stepper, "The pump is killed here.")
    expect(stepper.locator("[id$='-kill']")).to_have_css("visibility", "visible")
    press(stepper, "Next tick")
    says(stepper, "the occurrence was enqueued twice")
    expect(stepper.get_by_role("row")).to_have_count(1 + 5 + 6)


def test_the_other_orders(stepper: Locator) -> None:
    press(stepper, "Advance, then enqueue (not EchoMQ)")
    says(stepper, "Advance, then enqueue (not EchoMQ). Steps done: 6 of 6: enqueue.")
    press(stepper, "Back a step", "Kill the pump here", "Next tick")
    says(stepper, "the occurrence is lost")
    press(stepper, "All in one script (atomic)")
    says(stepper, "All in one script (atomic). Steps done: 4 of 4: one script.")
    press(stepper, "Kill the pump here", "Next tick")
    says(stepper, "the occurrence was enqueued once")


def test_an_outage_in_the_stepper(stepper: Locator) -> None:
    press(stepper, "Stop the pump for an hour")
    says(stepper, "4 runs due meanwhile, 1 released")
    expect(stepper.get_by_role("img")).to_have_attribute(
        "aria-label", re.compile("circles: 09:00, 10:05, 10:20, 10:35")
    )
    press(stepper, "Start again")
    says(stepper, "Steps done: 6 of 6: advance.")


def test_ten_runs_of_two_cells_leave_one_live_app_each(both: Watched) -> None:
    comms = int(lab.run_cell(both.page, 2))
    for _ in range(5):
        lab.run_cell(both.page, 0)
        lab.run_cell(both.page, 1)
    assert int(lab.run_cell(both.page, 2)) == comms
    expect(both.page.locator(".echomq-app")).to_have_count(2)


def test_axe_finds_nothing_and_all_fits_the_column(both: Watched) -> None:
    stepper, tracer = shown(both, "stepper"), shown(both, "tracer")
    press(stepper, "Back a step", "Kill the pump here", "Next tick")
    says(stepper, "the occurrence was enqueued twice")
    for theme, width in product(THEMES, WIDTHS):
        both.look(theme, width)
        found = Axe().run(both.page, context=".echomq-app")
        assert found.violations_count == 0, found.generate_report()
        fits(stepper, f"stepper-{theme}-{width}")
        fits(tracer, f"advance-{theme}-{width}")
