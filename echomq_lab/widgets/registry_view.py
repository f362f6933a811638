"""A queue at a glance: registry and records, pending and jobs, told anew after each call.

Source: widgets, 5.
"""

from __future__ import annotations

from typing import Any

import ipywidgets

from echomq_lab import jobs, readout
from echomq_lab.keyspace import registry_key
from echomq_lab.store import Connection
from echomq_lab.widgets.app import App, scrolling, shows_faults

#: How many pending jobs are listed, the newest.
MOST_JOBS = 50


def registry_view(conn: Connection, queue: str) -> RegistryView:
    """Show a queue's registry and jobs, with times relative to the connection's clock.

    It is told anew after each cell that ran, and by its button. Choose a job's id to have it decoded.
    Raises `ArgumentError` for a queue name that breaks the hashtag. Source: widgets, 5.
    """
    registry_key(queue)
    return RegistryView(conn, queue)


class RegistryView(App):
    """The app on one queue. `refresh()` reads the store again; looking is never part of a trace."""

    def __init__(self, conn: Connection, queue: str) -> None:
        super().__init__()
        self._conn, self._queue = conn, queue
        self._tables = ipywidgets.HTML()
        self._again = ipywidgets.Button(description="Refresh", layout={"width": "auto", "align_self": "flex-start"})
        self._chosen = ipywidgets.Dropdown(description="Decode id", style={"description_width": "7em"})
        self._decoded = ipywidgets.HTML()
        self.children = (self._again, self._tables, self._chosen, self._decoded, self.fault, self.live)
        self._again.on_click(lambda _: self.refresh())
        self._chosen.observe(lambda _: self._decode(), "value")
        self.after_each_cell(self.refresh)
        self.refresh()

    def to_text(self) -> str:
        """The tables, and the chosen id decoded, as plain text."""
        told = [readout.registry(self._conn, self._queue), readout.pending(self._conn, self._queue, MOST_JOBS)]
        if self._chosen.value:
            told.append(readout.branded(self._chosen.value))
        return "\n\n".join(map(str, told))

    @shows_faults
    def refresh(self) -> None:
        """Read the store and tell what it holds now."""
        registry = readout.registry(self._conn, self._queue)
        pending = readout.pending(self._conn, self._queue, MOST_JOBS)
        self._tables.value = scrolling(registry._repr_html_() + pending._repr_html_(), "Registry and jobs")
        ids = jobs.browse(self._conn, self._queue, MOST_JOBS)
        chosen: Any = self._chosen.value
        self._chosen.options = [("choose ...", ""), *((each, each) for each in ids)]
        self._chosen.value = chosen if chosen in ids else ""
        self.live.text = f"{registry.caption}. {pending.caption}."

    @shows_faults
    def _decode(self) -> None:
        chosen: str = self._chosen.value
        self._decoded.value = readout.branded(chosen)._repr_html_() if chosen else ""
