"""The controls of the boot tracer: what the reader can set and press, each with a name, in rows.

Source: widgets, 2.
"""

from __future__ import annotations

import ipywidgets

from echomq_lab.scenario import Way

WAYS = (
    ("register", Way.GUARDED),
    ("naive add", Way.NAIVE),
    ("same name again", Way.AGAIN),
    ("ask, then add", Way.ASK_FIRST),
)


class BootControls:
    """The widgets by name. They decide nothing: the tracer listens to them and sets them."""

    def __init__(self, every_ms: int) -> None:
        self.way = ipywidgets.ToggleButtons(
            options=list(WAYS),
            description="A boot calls",
            layout={"width": "auto"},
            style={"description_width": "8em", "button_width": "auto"},
        )
        self.gap = ipywidgets.IntSlider(
            every_ms // 60_000,
            1,
            60,
            description="Period, minutes",
            style={"description_width": "8em"},
        )
        self.face = ipywidgets.HTML()
        self.buttons = {
            name: ipywidgets.Button(description=label, layout={"width": "auto"})
            for name, label in {
                "boot": "Boot",
                "later": "Boot a minute later",
                "fifty": "Fifty boots at once",
                "cancel": "Cancel",
                "sweep": "Sweep when due",
                "empty": "Start empty",
            }.items()
        }
        self.way.add_class("echomq-way")
        self.gap.add_class("echomq-gap")

    def rows(self) -> list[ipywidgets.Widget]:
        """The controls in rows that wrap on a narrow page."""
        rows = ((self.way,), (self.gap, self.face), tuple(self.buttons.values()))
        return [ipywidgets.HBox(row, layout={"flex_flow": "row wrap", "align_items": "center"}) for row in rows]

    def attributes(self) -> dict[str, dict[str, str]]:
        """The names and states that ipywidgets does not give: what the slider is and shows, which way is chosen."""
        pressed = {
            f".echomq-way button:nth-of-type({number})": {"aria-pressed": str(value == self.way.value).lower()}
            for number, (_, value) in enumerate(WAYS, 1)
        }
        return pressed | {
            ".echomq-gap [role=slider]": {"aria-label": "Period", "aria-valuetext": f"{self.gap.value} minutes"},
            ".echomq-gap .widget-readout": {"role": "textbox", "aria-label": "Period in minutes"},
        }
