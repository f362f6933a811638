"""What every widget of the lab is: a column of controls, pictures and readouts over one run.

Run again, a cell closes the app it showed before: its observers, and every comm it opened. What goes wrong in a
handler is shown in the app, since an exception there would reach nobody.

Source: widgets, "The technique", traps.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import ipywidgets
from IPython import get_ipython

from echomq_lab.errors import LabError
from echomq_lab.widgets.live import Live

_shown: dict[tuple[str, str], App] = {}

P = ParamSpec("P")
A = TypeVar("A", bound="App")


class App(ipywidgets.VBox):  # type: ignore[misc]
    """A widget of the lab. `to_text()` says all that it shows; `live` is its voice, `fault` the place for errors."""

    def __init__(self) -> None:
        super().__init__()
        self.add_class("echomq-app")
        self.live = Live()
        self.fault = ipywidgets.HTML()
        self._after_cell: Callable[[object], None] | None = None
        close_previous(type(self).__name__, self)

    def to_text(self) -> str:
        """What the app shows now, as plain text."""
        raise NotImplementedError

    def after_each_cell(self, call: Callable[[], None]) -> None:
        """Call after every cell that ran, until the app is dismissed; outside a notebook, never."""
        if shell := get_ipython():
            self._after_cell = lambda _: call()
            shell.events.register("post_run_cell", self._after_cell)

    def dismiss(self) -> None:
        """Close the app, everything in it, and their comms."""
        if self._after_cell is not None:
            get_ipython().events.unregister("post_run_cell", self._after_cell)
            self._after_cell = None
        for widget in list(_parts(self)):
            widget.unobserve_all()
            widget.close()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any] | None:
        bundle: dict[str, Any] | None = super()._repr_mimebundle_(**kwargs)
        return bundle and bundle | {"text/plain": self.to_text()}


def shows_faults(handler: Callable[Concatenate[A, P], None]) -> Callable[Concatenate[A, P], None]:
    """A handler whose errors are shown in the app's `fault`; a later one that succeeds clears it."""

    @wraps(handler)
    def handled(app: A, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            handler(app, *args, **kwargs)
        except Exception as error:
            app.fault.value = fault_html(error)
            app.live.text = str(error) if isinstance(error, LabError) else f"{type(error).__name__}: {error}"
        else:
            app.fault.value = ""

    return handled


def fault_html(error: Exception) -> str:
    """An error as the app shows it: the message of a `LabError`; of anything else also its type."""
    told = str(error) if isinstance(error, LabError) else f"{type(error).__name__}: {error}"
    return scrolling(f'<pre class="echomq-fault">{html.escape(told)}</pre>', "What is wrong")


def scrolling(content: str, name: str) -> str:
    """HTML that scrolls on a page too narrow for it, by the keyboard too, rather than becoming too small to read."""
    return f'<div class="echomq-scroll" tabindex="0" role="group" aria-label="{html.escape(name)}">{content}</div>'


def close_previous(kind: str, app: App) -> None:
    """Close the app of this kind that the running cell showed before; outside a notebook's cell, none."""
    cell = _cell_id()
    if cell is None:
        return
    if previous := _shown.get((kind, cell)):
        previous.dismiss()
    _shown[kind, cell] = app


def _cell_id() -> str | None:
    parent: dict[str, Any] = getattr(get_ipython(), "get_parent", dict)() or {}
    cell: str | None = parent.get("metadata", {}).get("cellId")
    return cell


def _parts(root: ipywidgets.Widget) -> Iterator[ipywidgets.Widget]:
    """A widget and every widget among its traits, layouts and styles too: each of them holds a comm."""
    seen, found = set(), [root]
    while found:
        widget = found.pop()
        if id(widget) in seen:
            continue
        seen.add(id(widget))
        yield widget
        for value in widget.trait_values().values():
            held = value if isinstance(value, list | tuple) else [value]
            found += [each for each in held if isinstance(each, ipywidgets.Widget) and each.comm is not None]
