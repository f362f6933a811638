"""Each notebook as a reader opens it in JupyterLab, light and dark: every cell runs, and every app fits its column."""

from itertools import product

import pytest

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
