"""EchoMQ's recurring-job scheduler, run for real under a clock that the reader moves.

    from echomq_lab import connect, repeat, jobs, pump, FixedClock

Names are loaded when they are first used, so that `import echomq_lab` loads no third-party package.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from echomq_lab import figures, ids, jobs, keyspace, pump, readout, repeat, scenario, trace
    from echomq_lab.cadence import Cron, Interval
    from echomq_lab.clock import FixedClock, SystemClock
    from echomq_lab.errors import LabError
    from echomq_lab.store import connect

_ROOMS = ("figures", "ids", "jobs", "keyspace", "pump", "readout", "repeat", "scenario", "trace")
_NAMES = {
    "Cron": "cadence",
    "FixedClock": "clock",
    "Interval": "cadence",
    "LabError": "errors",
    "SystemClock": "clock",
    "connect": "store",
}

__all__ = [
    "Cron",
    "FixedClock",
    "Interval",
    "LabError",
    "SystemClock",
    "connect",
    "figures",
    "ids",
    "jobs",
    "keyspace",
    "pump",
    "readout",
    "repeat",
    "scenario",
    "trace",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        return version("echomq-lab")
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name in _NAMES:
        return getattr(import_module(f"{__name__}.{_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
