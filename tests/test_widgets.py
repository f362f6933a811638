"""The cadence tracer without a browser: its opening state, what each control does, and that it says all it shows."""

import html
import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echomq_lab import figures
from echomq_lab.cadence import Cron
from echomq_lab.clock import LAB_DAY_MS, MAX_MS, instant_ms
from echomq_lab.errors import LabError
from echomq_lab.keyspace import registry_key
from echomq_lab.layout import Layout, lay_out
from echomq_lab.scenario import NAME
from echomq_lab.widgets import cadence_tracer
from echomq_lab.widgets.cadence_controls import NIGHTS, PRESETS, SPANS, ZONES
from echomq_lab.widgets.cadence_tracer import QUEUE, CadenceTracer, random_expression
from echomq_lab.widgets.stage import RailStage
from echomq_lab.wording import clock_time

App = CadenceTracer


def ms(time: str) -> int:
    return instant_ms(time)


@pytest.fixture
def app() -> CadenceTracer:
    return cadence_tracer()


def press(app: App, name: str) -> None:
    app._controls.buttons[name].click()


def put(app: App, control: str, value: object) -> None:
    getattr(app._controls, control).value = value


def now(app: App) -> str:
    return clock_time(app.run().now_ms, seen_from_ms=LAB_DAY_MS)


def cron_at(app: App) -> str:
    return clock_time(app.run().lanes[0].marks_ms[0], seen_from_ms=LAB_DAY_MS)


def interval_at(app: App) -> str:
    return clock_time(app.run().lanes[1].marks_ms[0], seen_from_ms=LAB_DAY_MS)


def fault(app: App) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", app.fault.value))


def problem(app: App) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", app._controls.problem.value))


def wrote(app: App, since: int = 0) -> list[str]:
    """The scripts that the store ran, and with which answer."""
    return [f"{step.script}: {step.reply}" for step in app.trace.steps[since:]]


def scores(app: App) -> list[int]:
    """What ZADD wrote for the registration, from the trace alone."""
    return [score for _, change in app.trace.changes("repeat") for name, score in change.after or () if name == NAME]


def test_it_opens_on_the_static_verdicts(app: App) -> None:
    # Seed 001: "now = 08:50, cron 0 9 * * * -> next run 09:00, interval every_ms 900000 -> next run 09:05",
    # "fires at :05, :20, :35".
    cron, interval = app.run().lanes
    assert app.run().now_ms == ms("08:50")
    assert cron.marks_ms[0] == ms("09:00")
    assert list(interval.marks_ms[:3]) == [ms("09:05"), ms("09:20"), ms("09:35")]
    # The first is the score that register wrote, and the other two are said to be predicted.
    assert scores(app) == [interval.marks_ms[0]]
    assert interval.written == 1
    for words in ("next run 09:00, in 10 minutes", "next run 09:05, in 15 minutes", f"ZADD {registry_key(QUEUE)}"):
        assert words in app.live.text
        assert words in app.to_text()
    assert "diamonds: 09:00;" in app.to_text()
    assert "circles: 09:05, 09:20, 09:35" in app.to_text()


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"now": "8.50"}, "must be a millisecond, an ISO instant or a time of the lab's day"),
        ({"cron": "75 9 * * *"}, "minutes run from 0 to 59"),
        ({"every_ms": 0}, "every_ms must be"),
        ({"every_ms": "15m"}, "every_ms must be"),
        ({"tz": "Europe/Berlni"}, "Europe/Berlin"),
    ],
)
def test_what_it_cannot_be_made_of_is_refused(bad: dict[str, object], told: str) -> None:
    with pytest.raises(LabError, match=re.escape(told)):
        cadence_tracer(**bad)  # type: ignore[arg-type]


# A control, what it is set to or "press": the clock, the next cron slot, the next interval run.
STEPS = [
    ("expr", "30 9 * * *", ("08:50", "09:30", "09:05")),
    ("example", "*/7 * * * *", ("08:50", "08:56", "09:05")),
    ("example", "", ("08:50", "09:00", "09:05")),
    ("zone", "Europe/Berlin", ("08:50", "Tue 6 Jan 08:00", "09:05")),
    ("lit", "cron", ("08:50", "09:00", "09:05")),
    ("span", "1 year", ("08:50", "09:00", "09:05")),
    ("gap", 20, ("08:50", "09:00", "09:10")),
    ("clock", 50, ("09:30", "Tue 6 Jan 09:00", "09:05")),
    ("on", "press", ("08:51", "09:00", "09:05")),
    ("back", "press", ("08:49", "09:00", "09:05")),
    ("on_1_ms", "press", ("08:50:00.001", "09:00", "09:05")),
    ("to_slot", "press", ("09:00", "09:00", "09:05")),
    ("to_run", "press", ("09:05", "Tue 6 Jan 09:00", "09:05")),
    ("sweep", "press", ("08:50", "09:00", "09:05")),
    ("again", "press", ("08:50", "09:00", "09:05")),
]


@pytest.mark.parametrize(("control", "value", "seen"), STEPS)
def test_each_control(app: App, control: str, value: object, seen: tuple[str, str, str]) -> None:
    if value == "press":
        press(app, control)
    else:
        put(app, control, value)
    assert (now(app), cron_at(app), interval_at(app)) == seen
    assert fault(app) == problem(app) == ""
    in_step(app)


def test_every_control_is_in_the_tables() -> None:
    app = cadence_tracer()
    listed = {control for control, *_ in STEPS} | {"random", "night", "play", "repair", "face", "problem"}
    assert listed == {*vars(app._controls), *app._controls.buttons} - {"buttons", "wrong"}


def test_at_its_slot_now_is_the_slot_and_a_millisecond_later_it_is_tomorrows(app: App) -> None:
    press(app, "to_slot")
    assert (now(app), cron_at(app)) == ("09:00", "09:00")
    assert "next run 09:00, now" in app.live.text
    press(app, "on_1_ms")
    assert (now(app), cron_at(app)) == ("09:00:00.001", "Tue 6 Jan 09:00")
    press(app, "to_slot")
    assert (now(app), cron_at(app)) == ("Tue 6 Jan 09:00", "Tue 6 Jan 09:00")


def test_the_intervals_mark_stays_until_a_sweep_releases_it(app: App) -> None:
    for step in (10, 24, 25, 40):
        put(app, "clock", step)
        assert interval_at(app) == "09:05"
    assert "due: the next sweep releases it" in app.live.text
    assert scores(app) == [ms("09:05")]
    press(app, "sweep")
    # It is 09:20: released fifteen minutes late, and the next is a gap from there.
    assert (now(app), interval_at(app)) == ("09:20", "09:35")
    assert "The sweep fired 1." in app.live.text
    assert scores(app) == [ms("09:05"), ms("09:35")]
    press(app, "sweep")
    assert "The sweep fired 0. Nothing was due." in app.live.text
    assert interval_at(app) == "09:35"


@pytest.mark.parametrize("control", ["gap", "again"])
def test_a_new_start_cancels_and_registers_on_the_store(app: App, control: str) -> None:
    put(app, "clock", 20)
    before = len(app.trace.steps)
    put(app, "gap", 30) if control == "gap" else press(app, "again")
    assert wrote(app, before) == ["cancel: 1", "register: 1"]
    assert interval_at(app) == ("09:30" if control == "gap" else "09:05")
    assert scores(app)[-1] == app.run().lanes[1].marks_ms[0]


def test_a_wrong_rule_keeps_the_last_good_rail_and_is_mended(app: App) -> None:
    before = app._stage.view.value
    put(app, "expr", "75 9 * * *")
    assert app._stage.view.value == before
    assert cron_at(app) == "09:00"
    assert problem(app).split("\n") == [
        "minute '75' is out of range in '75 9 * * *'",
        "                                ^^",
        "minutes run from 0 to 59; did you mean '15 9 * * *'?",
    ]
    assert app.live.text == "\n".join(problem(app).split("\n")[::2])
    assert problem(app) in app.to_text()
    assert app._controls.repair.description == "Use 15 9 * * *"
    app._controls.repair.click()
    assert app._controls.expr.value == "15 9 * * *"
    assert cron_at(app) == "09:15"
    assert problem(app) == ""
    assert app._controls.repair.layout.display == "none"
    in_step(app)


@pytest.mark.parametrize(
    ("control", "value", "told"),
    [
        ("expr", "", "five fields"),
        ("expr", "* * *", "five fields"),
        ("expr", "0 0 31 2 *", "never"),
        ("expr", "<b>", "'<b>'"),
        ("zone", "Europe/Berlni", "Europe/Berlin"),
        ("zone", "", "tz '' is not known"),
    ],
)
def test_what_no_rule_is_made_of_is_told_and_then_forgiven(app: App, control: str, value: str, told: str) -> None:
    put(app, control, value)
    assert told in problem(app)
    assert "<b>" not in app._controls.problem.value
    assert app._controls.attributes("")[".echomq-expr input"]["aria-invalid"] == str(control == "expr").lower()
    put(app, control, "0 10 * * *" if control == "expr" else "Europe/London")
    assert problem(app) == ""
    assert cron_at(app) == ("10:00" if control == "expr" else "09:00")


@pytest.mark.parametrize(("label", "expr"), PRESETS)
def test_each_example_is_a_rule(app: App, label: str, expr: str) -> None:
    put(app, "example", expr)
    assert (problem(app), fault(app)) == ("", "")
    assert app._controls.expr.value == expr
    assert Cron(expr).sentence() in app.live.text
    in_step(app)


@given(st.integers(0, 10_000))
def test_a_random_example_is_a_rule(seed: int) -> None:
    random.seed(seed)
    assert Cron(random_expression()).marks(ms("08:50"), 5)


def test_the_random_button_takes_it(app: App) -> None:
    press(app, "random")
    assert app.run().lanes[0].rule == app._controls.expr.value
    assert (problem(app), fault(app)) == ("", "")


@pytest.mark.parametrize("zone", ZONES)
def test_each_zone_is_one(app: App, zone: str) -> None:
    put(app, "zone", zone)
    assert (problem(app), app.run().lanes[0].tz) == ("", zone)


@pytest.mark.parametrize("night", NIGHTS)
def test_each_night_is_one_on_which_the_clocks_change(app: App, night: str) -> None:
    put(app, "night", night)
    tz, expr, at = NIGHTS[night]
    zone = app.run()
    assert (zone.now_ms, zone.lanes[0].tz, zone.lanes[0].rule) == (ms(at), tz, expr)
    assert zone.lanes[1].marks_ms[0] == ms(at) + 900_000
    # Ask what the wall clock shows after each half hour of the next four hours.
    offsets = [offset(ms(at) + half * 1_800_000, tz) for half in range(9)]
    change = offsets[-1] - offsets[0]
    slots = Cron(expr, tz).marks(ms(at), 40)
    tonight = [at_ms for at_ms in slots if at_ms < ms(at) + 14_400_000]
    if "skipped" in night:
        assert change > 0
        assert tonight == []
    else:
        assert change < 0
        shown = [clock_time(at_ms, tz) for at_ms in tonight]
        assert len(shown) > len(set(shown))


def offset(at_ms: int, tz: str) -> float:
    from echomq_lab.wording import _local

    return _local(at_ms, tz).utcoffset().total_seconds()  # type: ignore[union-attr]


def test_play_steps_with_each_beat(app: App) -> None:
    put(app, "play", True)
    assert app.live.playing
    app.live.beat += 1
    app.live.beat += 1
    assert now(app) == "08:52"
    press(app, "again")
    assert not app.live.playing
    assert now(app) == "08:50"


@pytest.mark.parametrize("span", SPANS)
def test_the_clock_slider_reaches_over_the_rail(app: App, span: str) -> None:
    put(app, "span", span)
    clock = app._controls.clock
    left_ms, right_ms = app._window()
    assert clock.max * SPANS[span][1] == right_ms - left_ms
    for value, at_ms in ((0, left_ms), (clock.max, right_ms)):
        clock.value = value
        assert app.run().now_ms == at_ms
        in_step(app)
    press(app, "on")
    assert app._window()[0] > left_ms
    in_step(app)


@pytest.mark.parametrize(("start", "name"), [(0, "back"), (MAX_MS, "on_1_ms"), (MAX_MS - 3_600_000, "on")])
def test_the_clock_stays_in_the_calendar(start: int, name: str) -> None:
    with pytest.raises(LabError) if start else pytest.MonkeyPatch.context():
        app = cadence_tracer(start)
        press(app, name)
        assert 0 <= app.run().now_ms <= MAX_MS
        assert fault(app) == ""


def test_another_day_is_told_with_the_clock(app: App) -> None:
    put(app, "span", "1 week")
    for _ in range(24):
        press(app, "on")
    assert "Tue 6 Jan 08:50" in app._controls.face.value
    assert app.live.attributes[".echomq-clock [role=slider]"]["aria-valuetext"] == "Tue 6 Jan 08:50"


# Every way into a handler.
WAYS: dict[str, Callable[[App], None]] = {
    "expr": lambda app: put(app, "expr", "1 9 * * *"),
    "example": lambda app: put(app, "example", "*/7 * * * *"),
    "zone": lambda app: put(app, "zone", "Asia/Tokyo"),
    "night": lambda app: put(app, "night", next(iter(NIGHTS))),
    "lit": lambda app: put(app, "lit", "cron"),
    "span": lambda app: put(app, "span", "1 day"),
    "gap": lambda app: put(app, "gap", 3),
    "clock": lambda app: put(app, "clock", 3),
    "beat": lambda app: setattr(app.live, "beat", 1),
    "repair": lambda app: app._controls.repair.click(),
    **{
        name: lambda app, name=name: press(app, name)  # type: ignore[misc]
        for name in ("random", "back", "on", "on_1_ms", "to_slot", "to_run", "sweep", "again")
    },
}


@pytest.mark.parametrize("way", WAYS)
def test_what_goes_wrong_in_a_handler_is_shown_and_then_cleared(
    app: App, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(app._run, "run", lambda _: 1 / 0)
        WAYS[way](app)
    assert fault(app) == "ZeroDivisionError: division by zero"
    assert app.live.text == "ZeroDivisionError: division by zero"
    press(app, "on")
    assert fault(app) == ""
    in_step(app)


def test_a_cell_that_runs_again_closes_the_app_it_showed(monkeypatch: pytest.MonkeyPatch) -> None:
    import ipywidgets

    monkeypatch.setattr("echomq_lab.widgets.app._cell_id", lambda: "a-cell")
    monkeypatch.setattr("echomq_lab.widgets.app._shown", {})
    open_widgets: dict[str, object] = ipywidgets.widgets.widget._instances
    before = len(open_widgets)
    apps = [cadence_tracer() for _ in range(10)]
    held = len(open_widgets) - before
    assert [app.comm is not None for app in apps] == [False] * 9 + [True]
    apps[-1].dismiss()
    assert len(open_widgets) == before
    assert held < 100


def test_a_place_without_widgets_shows_the_text(app: App) -> None:
    bundle = app._repr_mimebundle_()
    assert bundle is not None
    assert bundle["text/plain"] == app.to_text()
    assert "application/vnd.jupyter.widget-view+json" in bundle


# What the picture shows is what a drawing of the same layout shows.
SCENES = [
    ("0 9 * * *", "UTC", 900_000, "2 hours", None),
    ("* * * * *", "UTC", 60_000, "2 hours", "interval"),
    ("*/15 * * * *", "Australia/Lord_Howe", 900_000, "1 day", "cron"),
    ("0 0 29 2 *", "Europe/Berlin", 3_600_000, "1 year", None),
]


@pytest.mark.parametrize(("expr", "tz", "every_ms", "span", "lit"), SCENES)
def test_the_live_rail_stands_where_the_drawn_one_does(
    expr: str, tz: str, every_ms: int, span: str, lit: str | None
) -> None:
    app = cadence_tracer(cron=expr, tz=tz, every_ms=every_ms)
    put(app, "span", span)
    layout = lay_out(app.run(), app._window(), lit)
    stage = RailStage(layout.kinds, 5)
    stage.place(layout)
    live, drawn = places(stage.view.value), places(figures.theme_svg(figures.draw(layout), ""))
    for gid, x in drawn.items():
        assert live[gid] == pytest.approx(x, abs=0.1), gid
    assert words(stage.view.value) == {word.text for word in layout.words}


@pytest.mark.parametrize(("expr", "tz", "every_ms", "span", "lit"), SCENES)
def test_all_that_a_picture_shows_is_told(expr: str, tz: str, every_ms: int, span: str, lit: str | None) -> None:
    app = cadence_tracer(cron=expr, tz=tz, every_ms=every_ms)
    put(app, "span", span)
    put(app, "lit", lit or "both")
    told_of(app, lay_out(app.run(), app._window(), lit))


ANYTHING = st.one_of(
    st.tuples(st.just("expr"), st.sampled_from([expr for _, expr in PRESETS]) | st.text(max_size=12)),
    st.tuples(st.just("zone"), st.sampled_from([*ZONES, "", "Nowhere"])),
    st.tuples(st.just("night"), st.sampled_from([*NIGHTS])),
    st.tuples(st.just("span"), st.sampled_from([*SPANS])),
    st.tuples(st.just("lit"), st.sampled_from(["both", "cron", "interval"])),
    st.tuples(st.just("gap"), st.integers(1, 60)),
    st.tuples(st.just("clock"), st.integers(0, 400)),
    st.tuples(
        st.just("press"),
        st.sampled_from(["random", "back", "on", "on_1_ms", "to_slot", "to_run", "sweep", "again", "repair"]),
    ),
)


@settings(max_examples=30)
@given(st.lists(ANYTHING, min_size=4, max_size=10))
def test_whatever_the_reader_does_nothing_breaks_and_all_of_it_is_told(acts: list[tuple[str, object]]) -> None:
    app = cadence_tracer()
    for what, value in acts:
        if value == "repair":
            app._controls.repair.click()
        elif what == "press":
            press(app, str(value))
        else:
            put(app, what, value)
        assert fault(app) == ""
        assert problem(app) in app.to_text()
        in_step(app)


def in_step(app: App) -> None:
    """Picture, status, table and clock show the same run, and the text says all of it."""
    run, lit = app.run(), app._lit()
    layout = lay_out(run, app._window(), lit)
    shown = app._stage.view.value
    assert words(shown) == {word.text for word in layout.words}
    assert html.escape(layout.alt) in shown
    told = told_of(app, layout)
    left_ms, right_ms = app._window()
    assert left_ms <= run.now_ms <= right_ms
    assert app._controls.clock.value == (run.now_ms - left_ms) // SPANS[app._controls.span.value][1]
    rule = app._run.cron
    assert list(run.lanes[0].marks_ms) == rule.marks(run.now_ms, 5)
    for lane in run.lanes:
        if lit in (None, lane.kind):
            for at_ms in lane.marks_ms:
                assert str(at_ms) in app._table.value
                assert str(at_ms) in told


def told_of(app: App, layout: Layout) -> str:
    """The app's text; each word and each mark of a layout is in it."""
    told = app.to_text()
    for word in layout.words:
        if word.gid.startswith("tick-label"):
            continue  # the scale: the text tells each time, and from where to where the rail reaches
        text = (
            word.text.removesuffix(", UTC")
            .removeprefix("▶ ")
            .removeprefix("before this edge: ")
            .removeprefix("beyond this edge: ")
        )
        text = re.sub(r" and \d+ more$|, \d+ marks$", "", text)
        for piece in re.split(r", | to ", text.removeprefix("now ")) if "title" not in word.gid else [text]:
            assert piece in told, word
    for kind in layout.kinds:
        marks = sum(mark.gid.startswith(kind) for mark in layout.marks)
        lane = told.split(f"Lane {kind} ")[1].split(".\n")[0].split(". Lane")[0]
        inside = lane.split("diamonds: " if kind == "cron" else "circles: ")[1].split(";")[0]
        assert len(re.findall(r"\d\d:\d\d", inside)) == marks
    return told


def words(svg: str) -> set[str]:
    """The words that a picture shows."""
    found = re.findall(r"<text[^>]*>([^<]+)</text>", svg)
    return {html.unescape(text) for text in found}


def places(svg: str) -> dict[str, float]:
    """Where each part of a picture stands, in the units of its SVG: what was drawn there, and what moved it since."""
    prefix = re.search(r'id="(s[0-9a-f]{12}-)?figure_1"', svg)
    assert prefix is not None
    front = prefix[1] or ""
    moved = {gid: float(x) for gid, x in re.findall(rf"#{front}([\w-]+){{transform:translate\(([-\d.]+)px", svg)}
    drawn = {}
    for gid, body in re.findall(rf'<g id="{front}((?:cron|interval|tick|now|day)[\w-]*)">(.*?)</g>', svg, re.DOTALL):
        if place := re.search(r'(?:<use|<text)[^>]* x="([-\d.]+)"|d="M ([-\d.]+)', body.split("</defs>")[-1] or body):
            drawn[gid] = float(place[1] or place[2])
    return {gid: x + moved.get(gid, 0.0) for gid, x in drawn.items()}
