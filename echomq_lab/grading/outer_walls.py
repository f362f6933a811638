"""The outer walls: a program started by bubblewrap, which sees of this machine what it needs and can write nowhere.

Of the file system Python, this package and the system's libraries, read-only; no network; no process but its own; and
it ends with whoever started it.

Source: grading, "Isolation on Linux by namespaces".
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from echomq_lab.grading import cell_walls

PACKAGE = Path(__file__).resolve().parent.parent
#: The one place that Python may write to between these walls.
SCRATCH = "/run"
_SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts")
_OURS = tuple(dict.fromkeys((sys.base_prefix, sys.prefix, str(PACKAGE))))


def seen_inside(path: Path) -> str:
    """The place by which a path is seen between the walls; empty for one that is not."""
    real = path.resolve()
    return next((place for place in (*_OURS, *_SYSTEM) if real.is_relative_to(Path(place).resolve())), "")


def missing() -> str:
    """What stands in the way of isolation here, in words; empty when nothing is known to."""
    if sys.platform != "linux":
        return "isolation needs Linux: grade there, in a container or on a server, or pass --no-isolation"
    if shutil.which("bwrap") is None:
        return "isolation needs bubblewrap: `apt-get install bubblewrap` (or dnf), or pass --no-isolation"
    return cell_walls.missing()


def python(*words: str) -> list[str]:
    """Python with this package, between the walls; it may write to `SCRATCH`, which is gone when it ends."""
    return [*_bubblewrap(_OURS, ("--tmpfs", SCRATCH)), sys.executable, *words]


def program(words: Sequence[str], writes: Path) -> list[str]:
    """A program between the walls; `writes` is the folder of its own, at the same place within."""
    return [*_bubblewrap([str(Path(words[0]).resolve().parent)], ("--bind", str(writes), str(writes))), *words]


def _bubblewrap(places: Sequence[str], more: tuple[str, ...]) -> list[str]:
    seen: list[str] = []
    for place in _SYSTEM:
        if os.path.islink(place) and os.path.isdir(place):
            seen += ["--symlink", os.readlink(place), place]
        elif os.path.exists(place):
            seen += ["--ro-bind", os.path.realpath(place), place]
    # After /tmp, which would hide what lies in it.
    for each in places:
        seen += ["--ro-bind", each, each]
    walls = (
        "bwrap --unshare-all --die-with-parent --new-session --hostname grading --proc /proc --dev /dev --tmpfs /tmp"
    )
    closed = [word for place in ("/tmp", "/dev", "/") for word in ("--remount-ro", place)]
    return [*walls.split(), *seen, *more, *closed, "--chdir", "/"]
