"""JupyterLab on the reader's copies, from this interpreter, with nothing leaving the machine.

The server keeps its token and listens on this machine alone. It reads no configuration of the reader's own: a stale
setting or a password there shall not stop the lab. JupyterLab's settings in the browser (theme, shortcuts) stay theirs.

Source: architecture, "Rooms": `cli`.
"""

from __future__ import annotations

import json
import logging
import os
import shlex
import sys
import sysconfig
from pathlib import Path
from urllib.parse import quote

from echomq_lab.errors import LabError
from echomq_lab.workdir import HUB, make

DEFAULT_PORT = 8888


class ServeError(LabError, RuntimeError):
    """JupyterLab did not start."""


def serve(work: Path, *, port: int = DEFAULT_PORT, browser: bool = True) -> None:
    """Run JupyterLab on a folder until Ctrl-C or SIGTERM; print the URL of the hub notebook once it answers.

    A port that is taken gives way to the next free one. Raises `ServeError` when JupyterLab is missing or gives up.
    """
    work = work.resolve()
    os.environ.update(environment(dict(os.environ), work))
    for name in STRANGERS:
        os.environ.pop(name, None)
    ask_nothing(work)
    try:
        from jupyterlab.labapp import LabApp  # type: ignore[import-untyped]
    except ImportError as error:
        raise ServeError(f"JupyterLab cannot be loaded ({error}); run `{make('clean setup')}`") from error
    try:
        server = LabApp.initialize_server(argv=flags(work, port=port, browser=browser))
    except SystemExit as error:
        raise ServeError("JupyterLab did not start; what is above tells why") from error
    server.log.addFilter(_own_words)

    def tell() -> None:
        if server.port != port:
            print(f"port {port} is taken, so this is on {server.port}")
        token = quote(server.identity_provider.token)
        print(f"Open this in a browser: http://127.0.0.1:{server.port}/lab/tree/{HUB}?token={token}")
        print("Ctrl-C stops it.", flush=True)

    # The loop binds the port as its first act, after which the URL holds.
    server.io_loop.add_callback(tell)
    server.start()


#: What the shell may bring along that would lead the kernels to another Python or to other settings.
STRANGERS = ("PYTHONPATH", "PYTHONHOME", "JUPYTER_PATH", "JUPYTER_CONFIG_PATH", "JUPYTER_NO_CONFIG", "MPLBACKEND")


def environment(given: dict[str, str], work: Path) -> dict[str, str]:
    """What JupyterLab and its kernels find in their environment beside what the shell gave them."""
    private = work / ".jupyter"
    config = given.get("JUPYTER_CONFIG_DIR") or str(Path.home() / ".jupyter")
    scripts = sysconfig.get_path("scripts")
    return {
        "JUPYTER_CONFIG_DIR": str(private),
        "JUPYTERLAB_SETTINGS_DIR": given.get("JUPYTERLAB_SETTINGS_DIR") or str(Path(config) / "lab" / "user-settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(private / "workspaces"),
        # The kernel "python3" is this interpreter's, whatever the reader has installed under that name.
        "JUPYTER_PREFER_ENV_PATH": "1",
        # IPython adds the packages of the environment that the shell had active, unless it is told of this one.
        "VIRTUAL_ENV": sys.prefix,
        "PATH": os.pathsep.join([scripts, given["PATH"]]) if given.get("PATH") else scripts,
    }


def ask_nothing(work: Path) -> None:
    """Write the defaults that keep JupyterLab from asking for news before it shows the first notebook."""
    settings = work / ".jupyter" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    quiet = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}
    (settings / "overrides.json").write_text(json.dumps(quiet), "utf-8")


def flags(work: Path, *, port: int, browser: bool) -> list[str]:
    """JupyterLab's command line."""
    answer = [
        f"--ServerApp.root_dir={work}",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=50",
        f"--ServerApp.open_browser={browser}",
        "--ServerApp.answer_yes=True",
        f"--LabApp.default_url=/lab/tree/{HUB}",
        f"--LabApp.app_settings_dir={work / '.jupyter' / 'settings'}",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        "--Application.log_level=ERROR",
        # The shell as it is: a login shell, which is what JupyterLab starts where it writes to no terminal, may set
        # its PATH anew, and `echomq-lab` would not be found.
        f"--ServerApp.terminado_settings=shell_command={shlex.quote(os.environ.get('SHELL') or 'sh')}",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        answer.append("--ServerApp.allow_root=True")
    return answer


def _own_words(record: logging.LogRecord) -> bool:
    """Whether a record of the server's log is shown: what the lab says in its own words is not."""
    return not record.getMessage().lstrip().startswith(("To access the server", "received signal", "Shutting down"))
