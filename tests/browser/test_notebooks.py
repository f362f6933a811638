"""Each notebook in JupyterLab, light and dark: every cell runs, every app fits its column, axe finds nothing."""

from itertools import product

import pytest
from axe_playwright_python.sync_playwright import Axe

from . import lab
from .conftest import NOTEBOOKS, THEMES, WIDTHS, Watched, fits

NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))


@pytest.mark.parametrize("name", NAMES)
def test_run_all_ends_without_an_error(eye: Watched, name: str) -> None:
    eye.open(name)
    lab.run_all(eye.page)
    for kind in ("error", "stderr"):
        assert eye.page.locator(f"[data-mime-type='application/vnd.jupyter.{kind}']").all_inner_texts() == []
    for theme, width in product(THEMES, WIDTHS):
        eye.look(theme, width)
        for number, app in enumerate(eye.page.locator(".echomq-app").all()):
            fits(app, f"{name.removesuffix('.ipynb')}-{number}-{theme}-{width}")
        if width == WIDTHS[0] and eye.page.locator(".echomq-app").count():
            found = Axe().run(eye.page, context=".echomq-app")
            assert found.violations_count == 0, found.generate_report()
