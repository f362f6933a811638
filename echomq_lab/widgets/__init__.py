"""The lab's widgets: each a function that a notebook calls in one line, usable from the keyboard alone.

Source: widgets, "The widgets".
"""

from echomq_lab.widgets.cadence_tracer import cadence_tracer
from echomq_lab.widgets.registry_view import registry_view

__all__ = ["cadence_tracer", "registry_view"]
