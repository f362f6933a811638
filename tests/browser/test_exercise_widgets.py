"""The widgets of the exercises as their reader has them, in JupyterLab: by keyboard alone, by pointer, and by eye."""

from __future__ import annotations

import re
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
        "times = predict('1.1', 'When are the next two runs of the interval?', count=2)\ntimes"
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
    """A notebook that shows the widgets. With a heading about, JupyterLab has a use of its own for arrow keys."""
    cells = [nbformat.v4.new_code_cell(code, id=name) for name, code in CELLS.items()]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Probe", id="title"), *cells])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, folder / NAME)
    return NAME


@pytest.fixture
def page(eye: Watched, probe: str) -> Watched:
    """The page with the probe in it, all of it run once."""
    if not eye.page.url.endswith(f"/{probe}"):
        eye.open(probe)
        lab.run_all(eye.page)
    return eye


def run(eye: Watched, cell: str) -> str:
    return lab.run_cell(eye.page, list(CELLS).index(cell))


def shown(eye: Watched, cell: str) -> Locator:
    """The app of a cell, made anew."""
    app = eye.page.locator(".jp-CodeCell").nth(list(CELLS).index(cell)).locator(".echomq-app")
    old = app.element_handles()
    run(eye, cell)
    for each in old:
        eye.page.wait_for_function("app => !app.isConnected", arg=each)
    expect(app.get_by_role("status")).to_contain_text(re.compile("^No"))
    return app


@pytest.fixture
def times(page: Watched) -> Locator:
    return shown(page, "times")


@pytest.fixture
def choice(page: Watched) -> Locator:
    return shown(page, "choice")


@pytest.fixture
def blocks(page: Watched) -> Locator:
    return shown(page, "blocks")


def says(app: Locator, words: str) -> None:
    expect(app.get_by_role("status")).to_contain_text(words)


def button(app: Locator, name: str) -> Locator:
    return app.get_by_role("button", name=name, exact=True)


def block(app: Locator, letter: str) -> Locator:
    return app.get_by_role("option", name=re.compile(f"^{letter} "))


def stands(app: Locator, script: str, left: str) -> None:
    """Check which blocks the two lists hold, in their order."""
    for name, letters in (("In the script", script), ("Left over", left)):
        expect(app.get_by_role("listbox", name=name).get_by_role("option").locator("b")).to_have_text(list(letters))


def pull(eye: Watched, letter: Locator, onto: Locator, below: float) -> None:
    """Take a block by its letter and carry it onto another place, `below` its top; the button stays pressed."""
    to = onto.bounding_box()
    assert to is not None
    letter.hover()
    eye.page.mouse.down()
    eye.page.mouse.move(to["x"] + 30, to["y"] + below, steps=5)


def test_a_prediction_by_keyboard_alone(times: Locator, page: Watched) -> None:
    box = times.get_by_role("textbox", name="2 times (UTC)", exact=True)
    for stop in (box, button(times, "Record")):
        page.page.keyboard.press("Tab")
        while not times.evaluate("app => app.contains(document.activeElement)"):
            page.page.keyboard.press("Tab")
        expect(stop).to_be_focused()
    expect(box).to_have_attribute("data-lm-suppress-shortcuts", "true")
    type_over(box, "9.05, 9.20")
    box.press("Enter")
    wrong = "time 1 must be a millisecond, an ISO instant or a time of the lab's day, not '9.05'; try '08:50'"
    expect(times.locator(".echomq-fault")).to_contain_text(wrong)
    says(times, wrong)
    expect(box).to_have_attribute("aria-invalid", "true")
    # The last key and Enter in one breath: what is recorded is what stands in the box.
    type_over(box, "09:20, 09:00")
    box.press("Enter")
    says(times, "Recorded: 09:20, 09:00.")
    expect(times.locator(".echomq-fault")).to_have_count(0)
    expect(box).to_be_disabled()
    expect(button(times, "Record")).to_be_disabled()
    expect(times.get_by_role("group", name=re.compile("^Predict, exercise 1.1"))).to_be_focused()
    assert "early by 20 minutes" in run(page, "compare")
    says(times, "Exercise 1.1: 0 of 2 hit (time 1 late by 15 minutes, time 2 early by 20 minutes).")
    expect(times.get_by_role("row")).to_have_count(3)
    assert run(page, "tell").startswith("(1767604800000, 1767603600000)")


def test_a_choice_by_keyboard_alone(choice: Locator, page: Watched) -> None:
    button(choice, "Record").press("Enter")
    says(choice, "your prediction must be one of 'registered', 'exists', not ''")
    button(choice, "registered").press("Space")
    button(choice, "exists").press("Enter")
    expect(button(choice, "exists")).to_have_attribute("aria-pressed", "true")
    expect(button(choice, "registered")).to_have_attribute("aria-pressed", "false")
    button(choice, "Record").press("Space")
    says(choice, "Recorded: exists.")
    expect(button(choice, "registered")).to_be_disabled()
    assert "('exists',)" in run(page, "tell")


def test_an_order_by_keyboard_alone(blocks: Locator, page: Watched) -> None:
    key = page.page.keyboard.press
    stands(blocks, "", "ABCDE")
    block(blocks, "A").focus()
    for name in ("Put in: A", "Copy", "Try this order"):
        key("Tab")
        if name == "Copy":
            expect(blocks.get_by_role("textbox", name="Line to paste")).to_be_focused()
            key("Tab")
        expect(button(blocks, name)).to_be_focused()
    block(blocks, "A").focus()
    for press, letter in [("ArrowDown", "B"), ("End", "E"), ("ArrowDown", "E"), ("ArrowUp", "D"), ("Home", "A")]:
        key(press)
        expect(block(blocks, letter)).to_be_focused()
    expect(block(blocks, "A")).to_have_attribute("aria-selected", "true")
    key("Alt+ArrowUp")
    says(blocks, "A is left over: put it in first.")
    # A key on a block takes the focus along; a button keeps it.
    key("Enter")
    says(blocks, "A is first of 1.")
    stands(blocks, "A", "BCDE")
    expect(block(blocks, "A")).to_be_focused()
    for name in ("Move up: A", "Move down: A", "Take out: A"):
        key("Tab")
        expect(button(blocks, name)).to_be_focused()
    key("Tab")
    expect(block(blocks, "B")).to_be_focused()
    key("Tab")
    for letter, said in [("B", "B is second of 2."), ("C", "C is third of 3.")]:
        expect(button(blocks, f"Put in: {letter}")).to_be_focused()
        key("Enter")
        says(blocks, said)
    stands(blocks, "ABC", "DE")
    block(blocks, "C").focus()
    for press, said, order in [
        ("Alt+ArrowUp", "C is second of 3.", "ACB"),
        ("Alt+ArrowUp", "C is first of 3.", "CAB"),
        ("Alt+ArrowUp", "C is first of 3 already.", "CAB"),
        ("Alt+ArrowDown", "C is second of 3.", "ACB"),
    ]:
        key(press)
        says(blocks, said)
        stands(blocks, order, "DE")
        expect(block(blocks, "C")).to_be_focused()
    key("Space")
    says(blocks, "C is left over.")
    stands(blocks, "AB", "CDE")
    expect(block(blocks, "C")).to_be_focused()
    # The last block of the script is taken out: its button has nothing left to do, and the focus goes with the block.
    block(blocks, "A").press("Enter")
    button(blocks, "Take out: B").press("Enter")
    stands(blocks, "", "ABCDE")
    expect(block(blocks, "B")).to_be_focused()
    expect(button(blocks, "Take out")).to_be_disabled()


def test_an_order_by_pointer_alone(blocks: Locator, page: Watched) -> None:
    mouse = page.page.mouse
    block(blocks, "D").click()
    button(blocks, "Put in: D").click()
    says(blocks, "D is first of 1.")
    # Dropped above and below the block that is there, back out of the script, and where no list is.
    pull(page, block(blocks, "B"), block(blocks, "D"), below=4)
    expect(block(blocks, "D")).to_have_class(re.compile("echomq-before"))
    mouse.up()
    says(blocks, "B is first of 2.")
    stands(blocks, "BD", "ACE")
    expect(block(blocks, "B")).not_to_have_attribute("style", re.compile("translate"))
    pull(page, block(blocks, "B"), button(blocks, "Take out: B"), below=4)
    fits(blocks, "blocks-dragged")
    mouse.up()
    says(blocks, "B is second of 2.")
    pull(page, block(blocks, "D"), block(blocks, "E"), below=4)
    mouse.up()
    says(blocks, "D is left over.")
    stands(blocks, "B", "ACDE")
    pull(page, block(blocks, "C"), block(blocks, "B"), below=4)
    page.page.keyboard.press("Escape")
    mouse.up()
    pull(page, block(blocks, "C"), blocks.get_by_role("status"), below=4)
    mouse.up()
    stands(blocks, "B", "ACDE")
    says(blocks, "D is left over.")
    button(blocks, "Put in: C").click()
    button(blocks, "Move up: C").click()
    says(blocks, "C is first of 2.")
    expect(blocks.get_by_role("textbox", name="Line to paste")).to_have_value('register_order = ["C", "B"]')
    button(blocks, "Copy").click()
    says(blocks, "Copied.")
    button(blocks, "Try this order").click()
    says(blocks, "Boot 2 at 08:51: called nothing; reply 1; changed nothing.")
    expect(blocks.get_by_role("row")).to_have_count(3)
    assert "['C', 'B'] 2" in run(page, "tell")


def test_axe_finds_nothing_and_all_fits_the_column(
    times: Locator, choice: Locator, blocks: Locator, page: Watched
) -> None:
    type_over(times.get_by_role("textbox"), "9.05, 9.20")
    button(times, "Record").press("Enter")
    says(times, "time 1 must be")
    button(choice, "exists").press("Enter")
    button(choice, "Record").press("Enter")
    says(choice, "Recorded")
    run(page, "compare")
    says(choice, "1 of 1 hit")
    for letter in "DAB":
        block(blocks, letter).press("Enter")
        says(blocks, f"{letter} is ")
    button(blocks, "Try this order").press("Enter")
    says(blocks, "Tried")
    for theme, width in product(THEMES, WIDTHS):
        page.look(theme, width)
        assert Axe().run(page.page, ".echomq-app").generate_snapshot() == ""
        for name, app in (("times", times), ("choice", choice), ("blocks", blocks)):
            fits(app, f"{name}-{theme}-{width}")
