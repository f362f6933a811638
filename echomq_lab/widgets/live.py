"""The voice of an app: a status line that screen readers follow, names for controls, the beat of Play.

An `HTML` widget makes its node anew at each change, and a screen reader that watches the old one hears nothing. This
one keeps its node. It also gives slider handles the accessible names that ipywidgets does not.

Source: widgets, "The technique".
"""

from __future__ import annotations

from importlib import resources

import anywidget
import traitlets

_HERE = resources.files("echomq_lab.widgets")


class Live(anywidget.AnyWidget):
    """`text` is said; `attributes` maps a selector inside the app to the attributes of what it finds.

    While `playing`, the page counts `beat` up every `beat_ms`, so that no thread or sleep is needed in the kernel.
    """

    _esm = _HERE.joinpath("live.js").read_text(encoding="utf-8")
    _css = _HERE.joinpath("live.css").read_text(encoding="utf-8")

    text = traitlets.Unicode().tag(sync=True)
    attributes = traitlets.Dict().tag(sync=True)
    playing = traitlets.Bool(default_value=False).tag(sync=True)
    beat = traitlets.Int(0).tag(sync=True)
    beat_ms = traitlets.Int(400).tag(sync=True)
