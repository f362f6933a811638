"""JupyterLab on a folder of notebooks, and a headless Chromium to look at it: nothing leaves the machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MAC_APPS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_START_S = 90.0


def chromium() -> str | None:
    """The path of an installed Chromium or Chrome, or None."""
    found = [shutil.which(name) for name in _NAMES] + [app for app in _MAC_APPS if Path(app).exists()]
    return next((path for path in found if path), None)


@contextmanager
def browser(executable: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chrome = playwright.chromium.launch(executable_path=executable, args=_FLAGS)
        try:
            yield chrome
        finally:
            chrome.close()


@contextmanager
def jupyterlab(root: Path, home: Path) -> Iterator[str]:
    """A server on `root` with settings of its own under `home`; answers its address, http://127.0.0.1:port."""
    settings = home / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    notebook = home / "lab" / "user-settings" / "@jupyterlab" / "notebook-extension"
    notebook.mkdir(parents=True)
    # Every cell is in the page, also those that are scrolled away.
    (notebook / "tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}')
    # A notebook is saved when a test saves it.
    saving = home / "lab" / "user-settings" / "@jupyterlab" / "docmanager-extension"
    saving.mkdir(parents=True)
    (saving / "plugin.jupyterlab-settings").write_text('{"autosave": false}')
    port = _free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    command += ["--ServerApp.port_retries=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={root}"]
    # All that a kernel says comes through, however fast: over a limit the server drops a cell's end as well.
    command += [f"--ZMQChannelsWebsocketConnection.iopub_{what}_rate_limit=0" for what in ("msg", "data")]
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(home),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "lab" / "user-settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTER_PREFER_ENV_PATH": "1",
        "IPYTHONDIR": str(home / "ipython"),
    }
    url = f"http://127.0.0.1:{port}"
    with (home / "server.log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            _until(lambda: _answers(f"{url}/lab"), f"JupyterLab does not answer, see {log.name}")
            yield url
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()


def open_notebook(page: Page, url: str, name: str) -> None:
    """Open a notebook of the server and wait until its kernel is attached and idle."""
    page.goto(f"{url}/lab/tree/{name}?reset", wait_until="domcontentloaded")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=_START_S * 1000)

    def attached() -> bool:
        # The toolbar says idle before the session is attached; the server knows.
        sessions = json.loads(_get(f"{url}/api/sessions"))
        page.wait_for_timeout(50)
        return any(
            session["path"] == name
            and session["kernel"]["execution_state"] == "idle"
            and session["kernel"]["connections"] > 0
            for session in sessions
        )

    _until(attached, f"no kernel for {name}")


def set_theme(page: Page, theme: str) -> None:
    """Choose JupyterLab's light or dark theme in its menu, unless the page has it."""
    name = f"JupyterLab {theme.title()}"
    chosen = page.locator(f"body[data-jp-theme-name='{name}']")
    if chosen.count() == 0:
        page.locator(".lm-MenuBar-item:has-text('Settings')").click()
        page.locator(".lm-Menu-item:has(.lm-Menu-itemLabel:text-is('Theme'))").hover()
        page.locator(f".lm-Menu-item:has(.lm-Menu-itemLabel:text-is('{name}'))").click()
        chosen.wait_for(state="attached")


def run_all(page: Page) -> None:
    """Run All Cells, and wait until the last one has run."""
    page.locator(".lm-MenuBar-item:has-text('Run')").first.click()
    page.locator(".lm-Menu-item:has(.lm-Menu-itemLabel:text-is('Run All Cells'))").click()
    page.wait_for_function(
        """() => {
            const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')].map(p => p.textContent);
            return prompts.length > 0 && prompts.every(p => /\\[\\d+\\]/.test(p));
        }""",
        timeout=_START_S * 1000,
    )


def run_cell(page: Page, number: int, keys: str = "Control+Enter") -> str:
    """Run one cell from the keyboard, wait until it has run, and answer the text of its outputs."""
    cell = page.locator(".jp-CodeCell").nth(number)
    prompt = cell.locator(".jp-InputArea-prompt")
    before = prompt.text_content()
    cell.locator(".cm-content").click()
    page.keyboard.press(keys)
    page.wait_for_function(
        "([prompt, before]) => /\\[\\d+\\]/.test(prompt.textContent) && prompt.textContent !== before",
        arg=[prompt.element_handle(), before],
        timeout=_START_S * 1000,
    )
    return "\n".join(cell.locator(".jp-OutputArea-output").all_inner_texts())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=5) as reply:
        body: bytes = reply.read()
        return body


def _answers(url: str) -> bool:
    try:
        return bool(_get(url))
    except OSError:
        time.sleep(0.05)
        return False


def _until(done, what: str) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + _START_S
    while not done():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
