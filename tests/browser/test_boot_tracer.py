"""The boot tracer as its reader has it, in JupyterLab: from the keyboard alone, by role and name, and by eye."""

from itertools import product
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from . import lab
from .conftest import THEMES, WIDTHS, Watched, fits

NAME = "boots.ipynb"
CELLS = {
    "show": "from echomq_lab.widgets import boot_tracer\n\napp = boot_tracer()\napp",
    "comms": "from comm import get_comm_manager\n\nprint(len(get_comm_manager().comms))",
    "tell": "print(app.to_text())",
}
# Every stop of the Tab key inside the app, in order: its role and its name.
STOPS = [
    ("button", "register"),
    ("button", "naive add"),
    ("button", "same name again"),
    ("button", "ask, then add"),
    ("slider", "Period"),
    ("textbox", "Period in minutes"),
    ("button", "Boot"),
    ("button", "Boot a minute later"),
    ("button", "Fifty boots at once"),
    ("button", "Cancel"),
    ("button", "Sweep when due"),
    ("button", "Start empty"),
    ("group", "Picture"),
    ("group", "Before and after"),
    ("group", "Calls"),
]


class BootPage:
    """The boot tracer in an open notebook, and the kernel behind it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.app = page.locator(".echomq-app")
        self.status = self.app.get_by_role("status")

    def button(self, name: str) -> Locator:
        return self.app.get_by_role("button", name=name, exact=True)

    def kernel(self, cell: str) -> str:
        return lab.run_cell(self.page, list(CELLS).index(cell))

    def show(self) -> None:
        old = self.app.element_handles()
        self.kernel("show")
        for app in old:
            self.page.wait_for_function("app => !app.isConnected", arg=app)
        expect(self.app.get_by_role("slider", name="Period", exact=True)).to_be_visible()
        expect(self.status).to_contain_text("Boot 2 at 08:51: EXISTS ran, HSET not reached, ZADD not reached")

    def word(self, gid: str) -> Locator:
        return self.app.locator(f"[id$='-{gid}']")


@pytest.fixture(scope="module")
def notebook(folder: Path) -> str:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code, id=name) for name, code in CELLS.items()])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, folder / NAME)
    return NAME


@pytest.fixture
def boots(eye: Watched, notebook: str) -> BootPage:
    """A new app."""
    if not eye.page.url.endswith(f"/{notebook}"):
        eye.open(notebook)
    boots = BootPage(eye.page)
    boots.show()
    return boots


def test_every_control_is_reached_by_tab_and_has_a_name(boots: BootPage) -> None:
    inside = "() => document.activeElement.closest('.echomq-app') !== null"
    while not boots.page.evaluate(inside):
        boots.page.keyboard.press("Tab")
    for role, name in STOPS:
        expect(boots.app.get_by_role(role, name=name, exact=True)).to_be_focused()  # type: ignore[arg-type]
        boots.page.keyboard.press("Tab")
    assert not boots.page.evaluate(inside)


def test_a_story_from_the_keyboard(boots: BootPage) -> None:
    node = boots.status.element_handle()
    for name, key, said in [
        ("Boot a minute later", "Enter", "Boot 3 at 08:52: EXISTS ran, HSET not reached"),
        ("Cancel", "Space", "gone: daily-report. ZCARD 1 before, 0 after."),
        ("Boot", "Enter", "Boot 4 at 08:52: EXISTS ran, HSET ran, ZADD ran; answer: registered."),
        ("Fifty boots at once", "Enter", "answer: 50 exists. Nothing was written."),
        ("Sweep when due", "Space", "Sweeps up to 09:07 at 08:52: fired."),
        ("naive add", "Enter", "One schedule stands there 2 times"),
        ("Sweep when due", "Enter", "2 fired."),
        ("Cancel", "Enter", "absent. No change."),
        ("same name again", "Enter", "moved: daily-report from 09:05 to 09:06"),
        ("ask, then add", "Space", "answer: exists."),
        ("Start empty", "Enter", "no boot yet"),
    ]:
        boots.button(name).press(key)
        expect(boots.status).to_contain_text(said)
    assert boots.page.evaluate("([a, b]) => a === b", [node, boots.status.element_handle()])


def test_the_rungs_light_as_they_ran(boots: BootPage) -> None:
    for column, words in enumerate([("ran", "ran", "ran", "registered"), ("ran", *["not reached"] * 2, "exists")]):
        for gid, word in zip(("word-EXISTS", "word-HSET", "word-ZADD", "answer"), words, strict=True):
            expect(boots.word(f"{gid}-{column}")).to_have_text(word)
    filled = "part => getComputedStyle(part.querySelector('use')).fillOpacity"
    assert [boots.word(f"mark-HSET-{column}").evaluate(filled) for column in (0, 1)] == ["1", "0"]
    expect(boots.word("mark-HSET-2")).to_be_hidden()
    boots.button("same name again").press("Enter")
    expect(boots.word("label-0")).to_have_text("09:06 (was 09:05)")
    expect(boots.word("was-0")).to_be_visible()
    expect(boots.button("same name again")).to_have_attribute("aria-pressed", "true")


def test_a_period_from_the_keyboard_is_stored_by_a_fresh_name_only(boots: BootPage) -> None:
    slider = boots.app.get_by_role("slider", name="Period", exact=True)
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "16 minutes")
    boots.button("Boot").press("Enter")
    expect(boots.status).to_contain_text("Boot 3 at 08:51")
    assert "every_ms = 960000" not in boots.kernel("tell")
    boots.button("Cancel").press("Enter")
    boots.button("Boot").press("Enter")
    expect(boots.status).to_contain_text("answer: registered")
    assert "every_ms = 960000" in boots.kernel("tell")


def test_ten_runs_of_the_cell_leave_one_live_app(boots: BootPage) -> None:
    comms = int(boots.kernel("comms"))
    for _ in range(10):
        boots.show()
    assert int(boots.kernel("comms")) == comms
    expect(boots.app).to_have_count(1)
    boots.button("Boot").press("Enter")
    expect(boots.status).to_contain_text("Boot 3 at 08:51")


def test_axe_finds_nothing_and_all_fits_the_column(boots: BootPage, eye: Watched) -> None:
    for way in ("register", "naive add", "same name again"):
        boots.button(way).press("Enter")
        boots.button("Boot a minute later").press("Enter")
        expect(boots.status).to_contain_text("Boot 3 at 08:52")
        for theme, width in product(THEMES, WIDTHS):
            eye.look(theme, width)
            assert Axe().run(boots.page, ".echomq-app").generate_snapshot() == ""
            fits(boots.app, f"boots-{way.replace(' ', '-')}-{theme}-{width}")
