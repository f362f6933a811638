"""The widgets of the exercises as their reader has them, in JupyterLab: keyboard alone, pointer, light and dark."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, expect

from . import lab
from .conftest import THEMES, WIDTHS, Watched, fits, type_over

NAME = "exercise-probe.ipynb"
CELLS = {
    "times": (
        "from echomq_lab.widgets import blocks, predict\n\n"
        "times = predict('1.1', 'When do the next two runs of the interval fall?', count=2)\ntimes"
    ),
    "choice": (
        "choice = predict('2.2', 'What is the second boot told?', 'choice', options=['registered', 'exists'])\nchoice"
    ),
    "blocks": "order = blocks()\norder",
    "compare": "choice.compare('exists')\ntimes.compare(['09:05', '09:20'])",
    "tell": "print(times.recorded, choice.recorded, order.order, len(order.trace.steps) if order.trace else None)",
}


@pytest.fixture(scope="module")
def probe(folder: Path) -> str:
    """A notebook that shows the widgets; with a heading about, JupyterLab has a use of its own for arrow keys."""
    cells = [nbformat.v4.new_code_cell(code, id=name) for name, code in CELLS.items()]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Probe", id="title"), *cells])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, folder / NAME)
    return NAME


@pytest.fixture
def page(eye: Watched, probe: str) -> Watched:
    """The page with the probe in it."""
    if not eye.page.url.endswith(f"/{probe}"):
        eye.open(probe)
        lab.run_all(eye.page)
    return eye


def run(eye: Watched, cell: str) -> str:
    return lab.run_cell(eye.page, list(CELLS).index(cell))


def shown(eye: Watched, cell: str) -> Locator:
    """The app of a cell, made anew."""
    place = eye.page.locator(".jp-CodeCell").nth(list(CELLS).index(cell)).locator(".echomq-app")
    old = place.element_handles()
    run(eye, cell)
    for app in old:
        eye.page.wait_for_function("app => !app.isConnected", arg=app)
    says(place, "yet.")
    return place


def says(app: Locator, words: str) -> None:
    expect(app.get_by_role("status")).to_contain_text(words)


def button(app: Locator, name: str) -> Locator:
    return app.get_by_role("button", name=name, exact=True)


def test_axe(page: Watched) -> None:
    times, choice, blocks = (shown(page, cell) for cell in ("times", "choice", "blocks"))
    apps = {"times": times, "choice": choice, "blocks": blocks}
    for letter in "DBA":
        blocks.get_by_role("option", name=f"{letter} ").press("Enter")
        says(blocks, f"{letter} is ")
    for round_ in ("open", "done"):
        for theme, width in product(THEMES, WIDTHS):
            page.look(theme, width)
            assert Axe().run(page.page, ".echomq-app").generate_snapshot() == ""
            for name, app in apps.items():
                fits(app, f"{name}-{round_}-{theme}-{width}")
        if round_ == "open":
            box = times.get_by_role("textbox")
            type_over(box, "9.05, 9.20")
            box.press("Enter")
            says(times, "time 1 must be")
            fits(times, "times-wrong")
            type_over(box, "09:20, 09:00")
            box.press("Enter")
            button(choice, "exists").press("Enter")
            button(choice, "Record").press("Enter")
            button(blocks, "Try this order").press("Enter")
            says(blocks, "Tried")
            run(page, "compare")
            says(times, "early by 5 minutes")
