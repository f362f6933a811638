"""The boot tracer without a browser: its opening state, what each control does, and that it says all it shows."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echomq_lab.clock import FixedClock, instant_ms
from echomq_lab.errors import ArgumentError
from echomq_lab.keyspace import record_key, registry_key
from echomq_lab.scenario import BootRun, Boots, Schedule
from echomq_lab.store import connect
from echomq_lab.widgets import boot_words
from echomq_lab.widgets.boot_ladder import Scene, answer, cell
from echomq_lab.widgets.boot_tracer import NAME, QUEUE, BootTracer, boot_tracer


@pytest.fixture(scope="module")
def drawn() -> BootTracer:
    return boot_tracer()


@pytest.fixture
def app(drawn: BootTracer) -> BootTracer:
    """The app as it opens, its picture drawn once for all tests."""
    return opened(drawn)


def opened(app: BootTracer) -> BootTracer:
    app._controls.way.value = "guarded"
    app._controls.gap.value = 15
    app._services.clear()
    app._on_way()
    return app


def press(app: BootTracer, *names: str) -> None:
    for name in names:
        app._controls.buttons[name].click()
        assert app.fault.value == ""


def choose(app: BootTracer, way: str) -> None:
    app._controls.way.value = way
    assert app.fault.value == ""


def picture(app: BootTracer) -> str:
    return str(app._stage.view.value)


def word(app: BootTracer, gid: str) -> str:
    found = re.search(rf'-{gid}">\s*<text[^>]*>([^<]*)<', picture(app))
    assert found is not None
    return found[1]


def column(app: BootTracer, number: int) -> list[str]:
    return [word(app, f"{part}-{number}") for part in ("word-EXISTS", "word-HSET", "word-ZADD", "answer")]


def style(app: BootTracer, gid: str) -> str:
    found = re.search(rf"#s[0-9a-f]{{12}}-{gid}{{([^}}]*)}}", picture(app))
    return found[1] if found else "(none)"


def test_the_opening_state_is_the_verdict_of_the_course_and_what_the_store_executed() -> None:
    app = boot_tracer()
    fresh, present = app.trace.steps
    # only a fresh name runs the HSET and the ZADD
    assert (fresh.reply, [call[0] for call in fresh.calls]) == (1, ["EXISTS", "HSET", "ZADD"])
    # a present record returns 0 and writes nothing
    assert (present.reply, [call[0] for call in present.calls], present.changes) == (0, ["EXISTS"], ())
    assert column(app, 0) == ["ran", "ran", "ran", "registered"]
    assert column(app, 1) == ["ran", "not reached", "not reached", "exists"]
    # one name, one record, one registry entry
    assert "1 record, 1 registry entry." in app.live.text
    assert [change.key for change in fresh.changes] == [registry_key(QUEUE), record_key(QUEUE, NAME)]
    assert word(app, "label-0") == "09:05"
    assert app._controls.face.value == "<b>08:51</b> UTC"


@pytest.mark.parametrize("presses", [("boot",), ("boot", "later", "boot"), ("fifty", "later"), ("later",) * 6])
def test_any_number_of_boots_leaves_one_entry_where_it_is(app: BootTracer, presses: tuple[str, ...]) -> None:
    before = app._calls()[0].after
    press(app, *presses)
    assert app._calls()[-1].after == before
    assert "1 registered" in app.live.text
    assert word(app, "label-0") == "09:05"


@pytest.mark.parametrize(
    ("way", "second", "said", "labels"),
    [
        (
            "guarded",
            ["ran", "not reached", "not reached", "exists"],
            "Nothing was written. ZCARD 1 before, 1",
            ["09:05"],
        ),
        (
            "naive",
            ["no probe", "ran", "ran", "added"],
            "new: daily-report#2 at 09:06. ZCARD 1 before, 2",
            ["09:05", "09:06"],
        ),
        (
            "again",
            ["no probe", "ran", "ran", "rewritten"],
            "moved: daily-report from 09:05 to 09:06. ZCARD 1",
            ["09:06 (was 09:05)"],
        ),
        ("ask-first", ["ran", "not reached", "not reached", "exists"], "Nothing was written", ["09:05"]),
    ],
)
def test_each_way_opens_on_its_second_boot(
    app: BootTracer, way: str, second: list[str], said: str, labels: list[str]
) -> None:
    choose(app, way)
    assert column(app, 1) == second
    assert said in app.live.text
    assert [word(app, f"label-{row}") for row in range(3)] == [*labels, "", "", ""][:3]
    assert ("visibility:hidden" not in style(app, "was-0")) == (way == "again")


def test_filled_is_what_ran_and_hollow_what_was_not_reached(app: BootTracer) -> None:
    assert [style(app, f"mark-{verb}-0 use") for verb in ("EXISTS", "HSET", "ZADD")] == ["fill-opacity:1!important"] * 3
    assert style(app, "mark-HSET-1 use") == "fill-opacity:0!important"
    assert style(app, "line-HSET-1") == "stroke-dasharray:2 3"
    assert style(app, "mark-HSET-2") == "visibility:hidden"
    choose(app, "naive")
    assert style(app, "mark-EXISTS-0") == "visibility:hidden"


@pytest.mark.parametrize(("way", "fired"), [("guarded", 1), ("naive", 2), ("again", 1), ("ask-first", 1)])
def test_a_duplicate_fires_twice(app: BootTracer, way: str, fired: int) -> None:
    choose(app, way)
    press(app, "sweep")
    assert word(app, "footing") == f"Jobs fired so far: {fired}."
    assert f"{fired} fired" in app.live.text or (fired == 1 and "fired." in app.live.text)


def test_another_period_changes_nothing_until_it_is_cancelled(app: BootTracer) -> None:
    app._controls.gap.value = 60
    press(app, "boot")
    assert "answer: exists. Nothing was written." in app.live.text
    assert "every_ms = 900000" in app.to_text()
    press(app, "cancel")
    assert "cancelled. In the registry, gone: daily-report. ZCARD 1 before, 0 after." in app.live.text
    assert word(app, "name-0") == ""
    press(app, "boot")
    assert "answer: registered." in app.live.text
    assert "every_ms = 3600000" in app.to_text()
    press(app, "cancel", "cancel")
    assert "absent. No change." in app.live.text


def test_fifty_threads_register_one(app: BootTracer) -> None:
    press(app, "empty")
    assert "no boot yet" in app.live.text
    assert "No boot yet." in app.to_text()
    press(app, "fifty")
    assert column(app, 0) == ["ran 50 of 50", "ran 1 of 50", "ran 1 of 50", "49 exists, 1 registered"]
    assert "Boots 1 to 50 at once at 08:50" in app.live.text


def test_fifty_naive_boots_leave_fifty_entries_and_the_tables_stay_short(app: BootTracer) -> None:
    choose(app, "naive")
    press(app, "empty", "fifty")
    assert word(app, "footing") == "And 47 more entries. Jobs fired so far: 0."
    assert "One schedule: 50 records, 50 registry entries." in app.live.text
    text = app.to_text()
    assert "and 44 more" in text
    assert "and 45 more keys" in text
    # a change that only draws
    spent = []
    for minutes in range(20, 60):
        began = time.process_time()
        app._controls.gap.value = minutes
        spent.append(time.process_time() - began)
    assert sorted(spent)[37] < 0.005


def test_the_text_says_all_that_the_picture_and_the_tables_show(app: BootTracer) -> None:
    for way in ("guarded", "naive", "again", "ask-first"):
        choose(app, way)
        press(app, "later", "cancel", "sweep", "boot")
        text = app.to_text()
        shown = picture(app)
        alt = re.search(r'aria-label="(A ladder[^"]*)"', shown)
        assert alt is not None
        assert alt[1].replace("&#x27;", "'") in text
        assert app.live.text in text
        words = re.findall(r"<text[^>]*>([^<]+)</text>", shown)
        axis = {word(app, "from"), word(app, "to"), "EXISTS record", "HSET record", "ZADD registry", "the answer"}
        assert [each for each in words if each not in axis and each not in text] == []


def test_a_way_is_left_as_it_is_and_found_again(app: BootTracer) -> None:
    press(app, "later")
    told = app.live.text
    choose(app, "naive")
    assert app.trace.steps[0].command[0] == "HSET"
    choose(app, "guarded")
    assert app.live.text == told
    assert len(app.trace.steps) == 3


def test_every_control_has_a_name_and_states_are_told(app: BootTracer) -> None:
    assert app.live.attributes[".echomq-gap [role=slider]"] == {"aria-label": "Period", "aria-valuetext": "15 minutes"}
    choose(app, "again")
    pressed = [app.live.attributes[f".echomq-way button:nth-of-type({n})"]["aria-pressed"] for n in range(1, 5)]
    assert pressed == ["false", "false", "true", "false"]
    assert all(button.description for button in app._controls.buttons.values())
    assert app._controls.gap.description


def test_what_goes_wrong_is_shown(app: BootTracer, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr("threading.Thread.start", refuse)
        app._controls.buttons["fifty"].click()
        assert "no thread can start here" in app.fault.value
        assert "no thread can start here" in app.live.text
    press(app, "boot")


@pytest.mark.parametrize("every_ms", [0, 90_000, 3_660_000, "15m", 900_000.0, True])
def test_a_period_that_the_slider_cannot_show_is_refused(every_ms: object) -> None:
    with pytest.raises(ArgumentError, match="every_ms must be 1 to 60 whole minutes in ms"):
        boot_tracer(every_ms=every_ms)  # type: ignore[arg-type]


def test_a_cell_run_again_closes_the_app_before(monkeypatch: pytest.MonkeyPatch) -> None:
    import ipywidgets

    monkeypatch.setattr("echomq_lab.widgets.app._cell_id", lambda: "a-cell")
    monkeypatch.setattr("echomq_lab.widgets.app._shown", {})
    open_widgets: dict[str, object] = ipywidgets.widgets.widget._instances
    before = len(open_widgets)
    app = boot_tracer()
    held = len(open_widgets) - before
    for _ in range(2):
        app = boot_tracer()
    assert len(open_widgets) == before + held
    app.dismiss()
    assert len(open_widgets) == before


@settings(max_examples=10)
@given(st.lists(st.sampled_from(["boot", "later", "empty", "cancel", "sweep"]), max_size=8), st.data())
def test_no_order_of_presses_goes_wrong(drawn: BootTracer, presses: list[str], data: st.DataObject) -> None:
    app = opened(drawn)
    for name in presses:
        choose(app, data.draw(st.sampled_from(["guarded", "naive", "again", "ask-first"])))
        press(app, name)
        assert len(app.to_text()) > 100


def runs(way: str) -> tuple[BootRun, Scene]:
    with connect("embedded://fakeredis", clock=FixedClock("08:50")) as conn:
        service = Boots(conn, QUEUE, [Schedule(NAME, 900_000), Schedule("clean-up", 900_000)], way)
        run = service.boot(2)
        now_ms = instant_ms("08:51")
        return run, Scene(service.way, QUEUE, [run], run.scores(), {}, now_ms, 900_000, 0)


def test_several_boots_and_schedules_are_counted() -> None:
    run, scene = runs("guarded")
    assert (cell(run, "EXISTS", "guarded"), answer(run)) == ("ran 4 of 4", "2 exists, 2 registered")
    assert scene.label(NAME) == "08:50 due"
    assert boot_words.before_and_after(run).rows[0] == ("ZCARD", "0", "2")
