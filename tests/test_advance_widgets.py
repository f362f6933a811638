"""Dive 3's widgets without a browser: their opening states, what each control does, and that text and trace agree."""

from __future__ import annotations

import re
from collections.abc import Iterator

import ipywidgets
import pytest

from echomq_lab import advance_readout, flow
from echomq_lab.clock import instant_ms
from echomq_lab.errors import ArgumentError
from echomq_lab.scenario.sweep_steps import ADVANCE_FIRST, ENQUEUE_FIRST, ONE_SCRIPT, STEPS
from echomq_lab.widgets import advance_tracer, pump_stepper
from echomq_lab.widgets.advance_tracer import AdvanceTracer
from echomq_lab.widgets.pump_stepper import PumpStepper


@pytest.fixture(scope="module")
def one_tracer() -> Iterator[AdvanceTracer]:
    app = advance_tracer()
    yield app
    app.dismiss()


@pytest.fixture
def tracer(one_tracer: AdvanceTracer) -> Iterator[AdvanceTracer]:
    """The tracer as it opens: drawing one for each test would take most of the time."""
    yield one_tracer
    assert one_tracer.fault.value == ""
    one_tracer.again.click()


@pytest.fixture(scope="module")
def one_stepper() -> Iterator[PumpStepper]:
    app = pump_stepper()
    yield app
    app.dismiss()


@pytest.fixture
def stepper(one_stepper: PumpStepper) -> Iterator[PumpStepper]:
    """The stepper as it opens."""
    yield one_stepper
    assert one_stepper.fault.value == ""
    one_stepper.buttons["again"].click()


def label(view: ipywidgets.HTML) -> str:
    found = re.search(r'role="img" aria-label="([^"]*)"', view.value)
    assert found is not None
    return found[1]


# ------------------------------------------------------------------------------------------------- the advance tracer


def test_the_tracer_opens_with_the_verdict_of_the_dive(tracer: AdvanceTracer) -> None:
    assert tracer.live.text.split("\n")[:2] == [
        "start-to-start (EchoMQ): 09:00 09:15 09:30 09:45; after 3 cycles: no drift.",
        "start-to-finish (not EchoMQ): 09:00 09:19 09:38 09:57; after 3 cycles: drift 12 minutes.",
    ]
    assert "circles: 09:00, 09:15, 09:30, 09:45" in label(tracer._stage.view)
    assert "squares: 09:00, 09:19, 09:38; beyond the right edge: 09:57" in label(tracer._stage.view)
    enqueued = [step.at_ms for step in tracer.trace.steps if step.script == "enqueue"]
    assert enqueued == [instant_ms(wall) for wall in ("09:00", "09:15", "09:30", "09:45")]
    assert tuple(enqueued) == tracer.run().lanes[0].marks_ms


# control, value | what the lanes then say
CHANGES = [
    ("length", 0, ["09:00 09:15 09:30 09:45", "09:00 09:15 09:30 09:45", "09:00 09:15 09:30 09:45"]),
    ("length", 40, ["09:00 09:15 09:30 09:45", "09:00 09:55 10:50 11:45", "09:00 09:15 09:30 09:45"]),
    ("period", 20, ["09:00 09:20 09:40 10:00", "09:00 09:24 09:48 10:12", "09:00 09:20 09:40 10:00"]),
    ("tick", 420_000, ["09:00 09:21 09:42 10:03", "09:00 09:21 09:42 10:03", "09:00 09:21 09:35 09:49"]),
    ("cycles", 1, ["09:00 09:15", "09:00 09:19", "09:00 09:15"]),
    ("stopped", 3_600_000, ["09:00 10:05 10:20 10:35", "09:00 10:05 10:24 10:43", "09:00 10:05 10:15 10:30"]),
]


@pytest.mark.parametrize(("control", "value", "says"), CHANGES)
def test_a_slider_runs_the_lanes_again(tracer: AdvanceTracer, control: str, value: int, says: list[str]) -> None:
    getattr(tracer, control).value = value
    for line, times in zip(tracer.live.text.split("\n")[:3], says, strict=True):
        assert f": {times}; after" in line
    assert str(advance_readout.lanes(tracer.run())) in tracer.to_text()
    assert [step.at_ms for step in tracer.trace.steps if step.script == "enqueue"] == [*tracer.run().lanes[0].marks_ms]
    tracer.again.click()
    assert "09:00 09:19 09:38 09:57" in tracer.live.text


def test_a_lane_is_lit_by_word_and_band(tracer: AdvanceTracer) -> None:
    tracer.lit.value = "finish"
    assert "drift 12 minutes), selected, squares" in label(tracer._stage.view)
    assert "▶ start-to-finish" in tracer._stage.view.value
    assert tracer.live.attributes[".echomq-lit button:nth-of-type(3)"] == {"aria-pressed": "true"}


def test_every_part_of_the_longest_run_has_room(tracer: AdvanceTracer) -> None:
    tracer.cycles.value = 8
    tracer.period.value = 60
    assert label(tracer._stage.view).count("17:00") == 2


@pytest.mark.parametrize(("every_ms", "run_ms"), [(250, 0), (86_400_000, 7_200_000), (1, 1)])
def test_any_period_can_be_traced(every_ms: int, run_ms: int) -> None:
    app = advance_tracer(every_ms, run_ms)
    assert app.fault.value == ""
    assert app.run().every_ms == every_ms
    app.dismiss()


@pytest.mark.parametrize(("argument", "value"), [("every_ms", 0), ("every_ms", "15m"), ("run_ms", -1)])
def test_another_argument_is_refused(argument: str, value: object) -> None:
    with pytest.raises(ArgumentError, match=argument):
        advance_tracer(**{argument: value})  # type: ignore[arg-type]


def test_a_period_that_ends_beyond_the_ids_is_refused() -> None:
    with pytest.raises(ArgumentError, match="the clock must be between 2024-01-01 and 2093-09-06 to mint an id"):
        advance_tracer(2**40)


def test_what_goes_wrong_is_shown_in_the_app() -> None:
    app = advance_tracer()
    app._conn.send = lambda *_: 1 / 0  # type: ignore[method-assign]
    app.cycles.value = 2
    assert "ZeroDivisionError" in app.fault.value
    assert "ZeroDivisionError" in app.live.text
    app.dismiss()


# --------------------------------------------------------------------------------------------------- the pump stepper


def test_the_stepper_opens_with_a_whole_sweep(stepper: PumpStepper) -> None:
    assert stepper.live.text.split("\n") == [
        "Enqueue, then advance (EchoMQ). Steps done: 6 of 6: advance.",
        "The sweep fired 1.",
        "The registry says daily-report at 09:15; pending: 1.",
    ]
    alt = label(stepper._stage.view)
    assert "enqueue done, next 09:00, 1 pending; advance done, next 09:15, 1 pending" in alt
    assert [step.script or step.command[0] for step in stepper.trace.steps][:5] == [
        "promote",
        "ZRANGEBYSCORE",
        "HMGET",
        "enqueue",
        "advance",
    ]


KILLS = [
    (ENQUEUE_FIRST, "once once once once once twice once"),
    (ADVANCE_FIRST, "once once once once lost lost once"),
    (ONE_SCRIPT, "once once once once once"),
]


@pytest.mark.parametrize(
    ("way", "done", "fate"), [(way, done, fate) for way, fates in KILLS for done, fate in enumerate(fates.split())]
)
def test_a_kill_and_the_next_tick(stepper: PumpStepper, way: str, done: int, fate: str) -> None:
    stepper.way.value = way
    stepper.done.value = done
    stepper.buttons["kill"].click()
    assert "The pump is killed here." in stepper.live.text
    assert "killed here" in label(stepper._stage.view)
    stepper.buttons["tick"].click()
    became = "the occurrence is lost" if fate == "lost" else f"the occurrence was enqueued {fate}"
    assert became in stepper.live.text
    assert became in label(stepper._stage.view)
    assert stepper.run().fate == fate
    jobs = sum(step.script in ("enqueue", "sweep") and step.changes != () for step in stepper.trace.steps)
    assert jobs == {"lost": 0, "once": 1, "twice": 2}[fate]
    assert stepper.to_text().count("next tick, ") == len(stepper.run().then)


def test_buttons_walk_and_stop_at_the_ends(stepper: PumpStepper) -> None:
    for _ in range(8):
        stepper.buttons["back"].click()
    assert stepper.done.value == 0
    assert "promote not done" in label(stepper._stage.view)
    for _ in range(8):
        stepper.buttons["on"].click()
    assert stepper.done.value == 6
    stepper.buttons["tick"].click()
    assert "the next tick fired 0: the occurrence was enqueued once" in stepper.live.text


def test_another_order_has_its_own_steps(stepper: PumpStepper) -> None:
    for way, names in STEPS.items():
        stepper.way.value = way
        assert (stepper.done.value, stepper.done.max) == (len(names), len(names))
        for name in names:
            assert f"{advance_readout.STEP_NAMES[name]} done" in label(stepper._stage.view)


def test_an_hours_outage_is_counted(stepper: PumpStepper) -> None:
    stepper.buttons["rest"].click()
    assert "4 runs due meanwhile, 1 released" in stepper.live.text
    assert "09:00 10:05 10:20 10:35" in stepper.live.text
    assert (stepper._stage.view.layout.display, stepper._rail.view.layout.display) == ("none", "")
    assert len([step for step in stepper.trace.steps if step.script == "enqueue"]) == 4
    assert stepper.to_text().startswith("A clock rail with 3 lanes")
    stepper.buttons["again"].click()
    assert (stepper._stage.view.layout.display, stepper._rail.view.layout.display) == ("", "none")
    assert stepper.to_text().startswith("A sweep in 6 steps")


def test_every_label_of_the_flow_fits_its_box() -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = flow.draw()
    renderer = FigureCanvasAgg(figure).get_renderer()
    texts = {text.get_gid(): text for text in figure.axes[0].texts}
    widest = figure.axes[0].patches[0].get_window_extent(renderer).width
    for part, words in (("name", max(advance_readout.STEP_NAMES.values(), key=len)), ("next", "next 09:15:01")):
        texts[f"row0-{part}-0"].set_text(words)
        assert texts[f"row0-{part}-0"].get_window_extent(renderer).width < widest
    assert set(flow.texts()) == set(texts)
