"""The browser tests: one JupyterLab for each theme, one Chromium for all, and a page that reports what goes wrong.

Without a Chromium they are skipped, in CI they fail, and the last line of the run says which command brings one.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from . import lab

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
#: The tracer, how many comms the kernel holds, what the app says in words, and its end: a cell each.
PROBE = {
    "show": "from echomq_lab.widgets import cadence_tracer\n\napp = cadence_tracer()\napp",
    "comms": "from comm import get_comm_manager\n\nprint(len(get_comm_manager().comms))",
    "tell": "print(app.to_text())",
    "dismiss": "app.dismiss()",
}
# The timers of Play that are running in the page.
_BEATS = """
window.beats = new Set();
const { setInterval: begin, clearInterval: end } = window;
window.setInterval = (act, ms, ...rest) => {
  const timer = begin(act, ms, ...rest);
  if (ms === 400) beats.add(timer);
  return timer;
};
window.clearInterval = (timer) => {
  beats.delete(timer);
  end(timer);
};
"""
THEMES = ("light", "dark")
WIDTHS = (1200, 800)
# Parts of an app that stick out of it; what scrolls may be wider.
_STICKING_OUT = """app => [...app.querySelectorAll("*")]
    .filter(part => !part.parentElement.closest(".echomq-scroll"))
    .filter(part => part.getBoundingClientRect().right > app.getBoundingClientRect().right + 1)
    .map(part => part.outerHTML.slice(0, 120))"""
_missed = pytest.StashKey[bool]()


@pytest.fixture(scope="package")
def chrome(pytestconfig: pytest.Config) -> Iterator[Browser]:
    """The one Chromium. It is closed when the last browser test has run: its event loop must not meet nbclient's."""
    path = lab.chromium()
    if path is None:
        pytestconfig.stash[_missed] = True
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no Chromium: {bring()}")
    with lab.browser(path) as browser:
        yield browser


def pytest_unconfigure(config: pytest.Config) -> None:
    if config.stash.get(_missed, False):
        print(f"The browser tests did not run. This brings what they need: {bring()}")


def bring() -> str:
    """The command that brings a Chromium."""
    if sys.platform == "darwin":
        return "brew install --cask google-chrome"
    sudo = "" if os.name == "posix" and os.geteuid() == 0 else "sudo "
    return f"{sudo}{'dnf' if shutil.which('dnf') else 'apt-get'} install chromium"


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The notebooks as they ship, and the probe."""
    folder = tmp_path_factory.mktemp("notebooks")
    for notebook in NOTEBOOKS.glob("*.ipynb"):
        shutil.copy(notebook, folder)
    cells = [nbformat.v4.new_code_cell(code, id=name) for name, code in PROBE.items()]
    # With a heading about, JupyterLab has a use of its own for arrow keys.
    probe = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Probe", id="title"), *cells])
    probe.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(probe, folder / "probe.ipynb")
    return folder


class Watched:
    """A page and what went wrong in it: errors it logged or threw, and whatever it asked of another machine."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.wrong: list[str] = []
        page.on("console", lambda message: message.type == "error" and self.wrong.append(message.text))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self._asked(socket.url))
        page.on("dialog", lambda dialog: dialog.accept())  # a changed notebook is left as it is

    def look(self, theme: str, width: int) -> None:
        """Show the page in a theme, at a width in pixels."""
        self.page.set_viewport_size({"width": width, "height": 1400})
        if "/lab" in self.page.url:
            lab.set_theme(self.page, theme)

    def open(self, notebook: str) -> None:
        lab.open_notebook(self.page, self.url, notebook)

    def _asked(self, url: str) -> None:
        if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")):
            self.wrong.append(url)

    def check(self) -> None:
        self.page.evaluate("1")  # what has happened meanwhile is heard while the browser answers
        wrong, self.wrong = self.wrong, []
        assert wrong == []


@pytest.fixture(scope="package")
def jupyterlab(chrome: Browser, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """The one page, of a JupyterLab on the folder."""
    with lab.jupyterlab(folder, tmp_path_factory.mktemp("home")) as url, chrome.new_context() as context:
        context.add_init_script(_BEATS)
        yield Watched(context.new_page(), url)


@pytest.fixture
def eye(jupyterlab: Watched) -> Iterator[Watched]:
    """The page, light and 1200 pixels wide. What went wrong in it fails the test that met it."""
    jupyterlab.look("light", 1200)
    yield jupyterlab
    jupyterlab.check()


def fits(app: Locator, name: str) -> None:
    """Check that an app fits its column. Where ECHOMQ_LAB_PICTURES names a folder, leave a picture for eyes there."""
    assert app.evaluate(_STICKING_OUT) == []
    if pictures := os.environ.get("ECHOMQ_LAB_PICTURES"):
        app.screenshot(path=Path(pictures) / f"{name}.png")


def type_over(box: Locator, text: str) -> None:
    """Type over what stands in a box, key by key."""
    box.press("ControlOrMeta+a")
    box.press_sequentially(text)


class Tracer:
    """The cadence tracer in an open probe notebook, made anew for each test, and the kernel behind it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.app = page.locator(".echomq-app")
        self.status = self.app.get_by_role("status")
        self.clock = self.app.get_by_role("slider", name="Clock", exact=True)
        self.gap = self.app.get_by_role("slider", name="Gap", exact=True)
        self.expr = self.app.get_by_role("textbox", name="Cron", exact=True)

    def button(self, name: str) -> Locator:
        return self.app.get_by_role("button", name=name, exact=True)

    def choose(self, name: str, option: str) -> None:
        self.app.get_by_role("combobox", name=name, exact=True).select_option(option)

    def kernel(self, cell: str) -> str:
        """Run a cell of the probe and answer what it printed."""
        return lab.run_cell(self.page, list(PROBE).index(cell))

    def show(self) -> None:
        """Run the cell that makes the app, and wait for the new one."""
        old = self.app.element_handles()
        self.kernel("show")
        for app in old:
            self.page.wait_for_function("app => !app.isConnected", arg=app)
        expect(self.status).to_contain_text("next run")
        # The names of the handles are the last thing that comes.
        expect(self.clock).to_be_visible()

    def x(self, gid: str) -> float:
        """Where the middle of a part of the picture stands, in pixels."""
        box = self.app.locator(f"[id$='-{gid}']").bounding_box()
        assert box is not None, gid
        return box["x"] + box["width"] / 2

    def hidden(self, gid: str) -> bool:
        return not self.app.locator(f"[id$='-{gid}']").is_visible()


@pytest.fixture
def tracer(eye: Watched) -> Tracer:
    """A new tracer at 08:50, on a page of 1200 pixels."""
    if not eye.page.url.endswith("/probe.ipynb"):
        eye.open("probe.ipynb")
    tracer = Tracer(eye.page)
    tracer.show()
    return tracer
