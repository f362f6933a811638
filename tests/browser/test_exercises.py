"""Dive 1 worked through by keyboard: predict, run, a wrong answer, two hints, the right one; all five exercises."""

import os
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Locator, Page

from tests.test_answers import ALL, WRONG

from .conftest import NOTEBOOKS, THEMES, WIDTHS, Watched

DIVE = "01-cron-vs-interval.ipynb"
_ACTIVE = "[...document.querySelectorAll('.jp-Notebook .jp-Cell')].findIndex(cell => cell.matches('.jp-mod-active'))"


class Desk:
    """A notebook worked in with keys; cells are found by their ids, as the file has them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.ids = [cell.id for cell in nbformat.read(NOTEBOOKS / DIVE, as_version=4).cells]
        page.keyboard.press("Escape")

    def cell(self, name: str) -> Locator:
        return self.page.locator(".jp-Notebook .jp-Cell").nth(self.ids.index(name))

    def stand(self, name: str) -> None:
        """Walk to a cell with the arrow keys."""
        target = self.ids.index(name)
        for _ in range(5):
            steps = target - self.page.evaluate(_ACTIVE)
            for _ in range(abs(steps)):
                self.page.keyboard.press("ArrowDown" if steps > 0 else "ArrowUp")
            if not steps:
                return
        raise AssertionError(f"never came to {name}")

    def run(self, name: str) -> str:
        """Run a cell, wait for it, and answer what it shows."""
        self.stand(name)
        prompt = self.cell(name).locator(".jp-InputArea-prompt")
        before = prompt.text_content()
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function(
            "([prompt, before]) => /\\[\\d+\\]/.test(prompt.textContent) && prompt.textContent !== before",
            arg=[prompt.element_handle(), before],
            timeout=60_000,
        )
        return "\n".join(self.cell(name).locator(".jp-OutputArea-output").all_inner_texts())

    def write(self, name: str, source: str) -> None:
        """Put a source into a cell."""
        self.stand(name)
        for key in ("Enter", "Control+A"):
            self.page.keyboard.press(key)
        self.page.keyboard.insert_text(source)
        self.page.keyboard.press("Escape")

    def below(self, name: str, new: str, source: str) -> None:
        """Insert a cell below another one."""
        self.stand(name)
        self.page.keyboard.press("b")
        self.ids.insert(self.ids.index(name) + 1, new)
        self.write(new, source)

    def tab_to(self, wanted: Locator) -> None:
        """Press Tab until the part that is wanted has the focus."""
        for _ in range(30):
            if wanted.evaluate("node => node === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError("never came to it")


@pytest.fixture
def desk(eye: Watched) -> Desk:
    eye.open(DIVE)
    eye.page.locator(".jp-Notebook .jp-Cell").first.click()
    return Desk(eye.page)


def source(exercise: str, kind: str) -> str:
    return next(
        answer.code
        for answer in (ALL if kind == "right" else WRONG)
        if answer.exercise == exercise and answer.path.stem.startswith(kind)
    )


def picture(eye: Watched, name: str, part: Locator) -> None:
    if not os.environ.get("ECHOMQ_LAB_PICTURES"):
        return
    for theme in THEMES:
        for width in WIDTHS:
            eye.look(theme, width)
            part.screenshot(path=Path(os.environ["ECHOMQ_LAB_PICTURES"]) / f"{name}-{theme}-{width}.png")
    eye.look("light", 1200)


def test_a_dive_is_worked_through_by_keyboard(eye: Watched, desk: Desk) -> None:
    assert desk.run("setup") == ""
    assert "not answered yet, 0 of 4 points (public checks)" in desk.run("ex-1-2-check")

    desk.run("ex-1-1-predict")
    desk.run("ex-1-2-predict")
    field = desk.cell("ex-1-2-predict").locator("input")
    desk.tab_to(field)
    eye.page.keyboard.type("11:00")
    eye.page.keyboard.press("Enter")
    desk.cell("ex-1-2-predict").get_by_text("recorded").first.wait_for()
    eye.page.keyboard.press("Escape")
    told = desk.run("ex-1-2-run")
    assert "early by 10 minutes" in told

    desk.write("ex-1-2-answer", source("1.2", "wrong_next_full_hour"))
    desk.run("ex-1-2-answer")
    told = desk.run("ex-1-2-check")
    assert "You count from the next full hour." in told
    assert desk.cell("ex-1-2-check").locator(".echomq-check svg").count() == 1
    desk.below("ex-1-2-check", "hint", 'hint("1.2")')
    assert "Hint 1 of 3 for 1.2, value: " in desk.run("hint")
    assert "Hint 2 of 3 for 1.2, value: " in desk.run("hint")
    desk.write("ex-1-2-answer", source("1.2", "right"))
    desk.run("ex-1-2-answer")
    assert "right, 4 of 4 points (public checks)" in desk.run("ex-1-2-check")

    for number, points in {"1.1": 4, "1.3": 10, "1.4": 6, "1.5": 6}.items():
        cell = f"ex-{number.replace('.', '-')}"
        desk.write(f"{cell}-answer", source(number, "right"))
        desk.run(f"{cell}-answer")
        assert f"right, {points} of {points} points" in desk.run(f"{cell}-check")
    desk.below("ex-1-5-check", "progress", "progress()")
    assert "30 of 100 points" in desk.run("progress")

    # Choosing a theme takes the focus away, so the pictures come last.
    for name in ("ex-1-2-predict", "ex-1-2-run", "hint", "ex-1-2-check", "progress"):
        picture(eye, name, desk.cell(name))
    eye.page.locator(".jp-Notebook .jp-Cell").first.click()
    desk.write("ex-1-2-answer", source("1.2", "wrong_next_full_hour"))
    desk.run("ex-1-2-answer")
    desk.run("ex-1-2-check")
    picture(eye, "ex-1-2-check-wrong", desk.cell("ex-1-2-check"))


def test_the_saved_answer_and_the_one_that_ran_are_told_apart(eye: Watched, desk: Desk) -> None:
    desk.run("setup")
    desk.write("ex-1-2-answer", source("1.2", "right"))
    desk.run("ex-1-2-answer")
    assert "does not hold the answer that was checked here yet" in desk.run("ex-1-2-check")
    eye.page.keyboard.press("Control+s")
    eye.page.wait_for_function("!document.querySelector('.lm-TabBar-tab.jp-mod-dirty')")
    assert "saved notebook" not in desk.run("ex-1-2-check")
    desk.write("ex-1-2-answer", "def next_interval(prev_ms, every_ms):\n    return prev_ms\n")
    eye.page.keyboard.press("Control+s")
    eye.page.wait_for_function("!document.querySelector('.lm-TabBar-tab.jp-mod-dirty')")
    assert "The answer cell was changed after it ran" in desk.run("ex-1-2-check")
