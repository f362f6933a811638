"""The lab's widgets: each a function that a notebook calls in one line, usable from the keyboard alone.

Source: widgets, "The widgets".
"""

from echomq_lab.widgets.advance_tracer import advance_tracer
from echomq_lab.widgets.blocks import blocks
from echomq_lab.widgets.boot_tracer import boot_tracer
from echomq_lab.widgets.cadence_tracer import cadence_tracer
from echomq_lab.widgets.predict import predict
from echomq_lab.widgets.pump_stepper import pump_stepper
from echomq_lab.widgets.registry_view import registry_view

__all__ = ["advance_tracer", "blocks", "boot_tracer", "cadence_tracer", "predict", "pump_stepper", "registry_view"]
