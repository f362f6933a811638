"""The controls of the cadence tracer: what the reader can set, each with a name, in rows.

Source: widgets, 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import ipywidgets

from echomq_lab.cadence import Cron
from echomq_lab.errors import CronError, LabError
from echomq_lab.widgets.app import fault_html
from echomq_lab.wording import span

#: How far a rail reaches, and how much one step of its clock slider is.
SPANS = {
    "2 hours": (7_200_000, 60_000),
    "1 day": (86_400_000, 300_000),
    "1 week": (604_800_000, 3_600_000),
    "1 month": (2_678_400_000, 21_600_000),
    "1 year": (31_622_400_000, 86_400_000),
}
PRESETS = (
    ("daily at 09:00", "0 9 * * *"),
    ("every 15 minutes, by the clock", "*/15 * * * *"),
    ("every 7 minutes, starting again each hour", "*/7 * * * *"),
    ("weekdays at 08:30", "30 8 * * MON-FRI"),
    ("the 13th, or any Friday", "0 9 13 * FRI"),
    ("the last day that only some months have", "0 0 31 * *"),
    ("each leap day", "0 0 29 2 *"),
)
ZONES: tuple[str, ...] = (
    "UTC",
    "Europe/Berlin",
    "Europe/London",
    "America/New_York",
    "America/Sao_Paulo",
    "Asia/Kolkata",
    "Asia/Tokyo",
)
ZONES += ("Australia/Lord_Howe", "Pacific/Auckland")


class Night(NamedTuple):
    """A night on which a zone's clocks change: an expression that meets it, and where to stand before it."""

    tz: str
    expr: str
    now: str


NIGHTS = {
    "Berlin, 02:00 to 03:00 is skipped": Night("Europe/Berlin", "30 2 * * *", "2026-03-28T23:30:00Z"),
    "Berlin, 02:00 to 03:00 comes twice": Night("Europe/Berlin", "30 2 * * *", "2026-10-24T23:30:00Z"),
    "New York, 02:00 to 03:00 is skipped": Night("America/New_York", "30 2 * * *", "2026-03-08T05:30:00Z"),
    "New York, 01:00 to 02:00 comes twice": Night("America/New_York", "30 1 * * *", "2026-11-01T04:30:00Z"),
    "Lord Howe, half an hour comes twice": Night("Australia/Lord_Howe", "*/15 * * * *", "2026-04-04T14:15:00Z"),
}


BOTH = "both"
_NAMED: dict[str, Any] = {"style": {"description_width": "7em"}}
_SNUG: dict[str, Any] = {"layout": {"width": "auto"}}


class Controls:
    """The widgets by name. They decide nothing: the tracer listens to them and sets them."""

    def __init__(self, cron: Cron, every_ms: int) -> None:
        self.lit = ipywidgets.ToggleButtons(
            options=[("Both rules", BOTH), ("Cron", "cron"), ("Interval", "interval")],
            description="Light up",
            layout={"width": "auto"},
            **_NAMED,
        )
        self.expr = ipywidgets.Text(cron.expr, description="Cron", **_NAMED)
        self.example = ipywidgets.Dropdown(options=[("choose ...", ""), *PRESETS], description="Example", **_NAMED)
        self.problem = ipywidgets.HTML()
        self.repair = ipywidgets.Button(layout={"width": "auto", "display": "none"})
        self.zone = ipywidgets.Combobox(
            value=cron.tz, options=ZONES, description="Time zone", continuous_update=False, **_NAMED
        )
        self.night = ipywidgets.Dropdown(
            options=[("choose ...", ""), *((night, night) for night in NIGHTS)],
            description="Clock change",
            layout={"width": "27em", "max_width": "100%"},
            **_NAMED,
        )
        self.gap = ipywidgets.IntSlider(
            min(60, max(1, every_ms // 60_000)), 1, 60, description="Gap, minutes", continuous_update=True, **_NAMED
        )
        self.span = ipywidgets.Dropdown(options=list(SPANS), description="Rail shows", **_NAMED)
        self.clock = ipywidgets.IntSlider(0, 0, 120, description="Clock", readout=False, **_NAMED)
        self.face = ipywidgets.HTML()
        self.play = ipywidgets.ToggleButton(description="Play", **_SNUG)
        self.buttons = {
            name: ipywidgets.Button(description=label, **_SNUG)
            for name, label in {
                "random": "Random example",
                "back": "Back a step",
                "on": "On a step",
                "on_1_ms": "On 1 ms",
                "to_slot": "To the cron slot",
                "to_run": "To the interval's run",
                "sweep": "Sweep",
                "again": "Start again",
            }.items()
        }
        self.wrong: LabError | None = None
        for name in ("lit", "expr", "zone", "gap", "clock", "play"):
            getattr(self, name).add_class(f"echomq-{name}")

    def rows(self) -> list[ipywidgets.Widget]:
        """The controls in rows that wrap on a narrow page."""
        button = self.buttons
        rows = (
            (self.lit,),
            (self.expr, self.example, button["random"]),
            (self.problem, self.repair),
            (self.zone, self.night),
            (self.gap, self.span),
            (self.clock, self.face),
            (
                *(button[name] for name in ("back", "on", "on_1_ms")),
                self.play,
                *(button[name] for name in ("to_slot", "to_run", "sweep", "again")),
            ),
        )
        return [ipywidgets.HBox(row, layout={"flex_flow": "row wrap", "align_items": "center"}) for row in rows]

    def show_problem(self, error: LabError | None) -> None:
        """Show a mistake under its field, and a button that mends it if there is a repair; None clears both."""
        self.wrong = error
        self.problem.value = fault_html(error) if error else ""
        self.repair.description = f"Use {self.mended}" if self.mended else ""
        self.repair.layout.display = "" if self.mended else "none"

    @property
    def mended(self) -> str | None:
        """The expression that the repair button puts in."""
        return self.wrong.repair if isinstance(self.wrong, CronError) else None

    def attributes(self, time: str) -> dict[str, dict[str, str]]:
        """The names and states that ipywidgets does not give: what a slider is and shows, which field is wrong."""
        zone_wrong = isinstance(self.wrong, CronError) and self.wrong.field == "tz"
        expr_wrong = self.wrong is not None and not zone_wrong
        pressed = {
            f".echomq-lit button:nth-of-type({number})": {"aria-pressed": str(value == self.lit.value).lower()}
            for number, (_, value) in enumerate(self.lit.options, 1)
        }
        return pressed | {
            ".echomq-clock [role=slider]": {"aria-label": "Clock", "aria-valuetext": time},
            ".echomq-gap [role=slider]": {"aria-label": "Gap", "aria-valuetext": span(self.gap.value * 60_000)},
            ".echomq-gap .widget-readout": {"role": "textbox", "aria-label": "Gap in minutes"},
            ".echomq-expr input": {
                "aria-invalid": str(expr_wrong).lower(),
                "autocomplete": "off",
                "spellcheck": "false",
            },
            ".echomq-zone input": {"aria-invalid": str(zone_wrong).lower()},
            ".echomq-play": {"aria-pressed": str(self.play.value).lower()},
        }
