"""The pages of a grading as they are read: in light and dark, wide and narrow, on paper; axe finds nothing."""

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from graded_class import CLASS, HOSTILE, put
from playwright.sync_api import Browser, Page

from echomq_lab.grading import pages, report

from .conftest import THEMES

WIDTHS = (1200, 400)
PAGES = {"some-wrong": "feedback/ben.html", "hostile": "feedback/zz.html", "report": "report.html"}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = put(tmp_path_factory.mktemp("out"), CLASS | {"zz": HOSTILE})
    pages.write(out)
    report.write(out, report.tallied([out]))
    return out


@pytest.fixture
def page(chrome: Browser) -> Iterator[Page]:
    """A page that may load the file it is sent to and nothing else, and that nothing may go wrong in."""
    wrong: list[str] = []
    with chrome.new_context() as context:
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: request.url.startswith("file://") or wrong.append(request.url))
        yield page
        page.evaluate("1")
        assert wrong == []


def picture(page: Page, name: str) -> None:
    """Leave a picture for eyes where ECHOMQ_LAB_PICTURES names a folder."""
    if pictures := os.environ.get("ECHOMQ_LAB_PICTURES"):
        page.screenshot(path=Path(pictures) / f"{name}.png", full_page=True)


@pytest.mark.parametrize("name", PAGES)
def test_each_page_fits_and_axe_finds_nothing(name: str, out: Path, page: Page) -> None:
    page.goto((out / PAGES[name]).as_uri())
    # The hostile page is long, and looks like any other.
    for theme, width in [("dark", 400)] if name == "hostile" else product(THEMES, WIDTHS):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 1000})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        picture(page, f"grading-{name}-{theme}-{width}")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("name", PAGES)
def test_on_paper_nothing_is_cut_off_or_dark(name: str, out: Path, page: Page) -> None:
    page.goto((out / PAGES[name]).as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 700, "height": 1000})
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    picture(page, f"grading-{name}-print")
