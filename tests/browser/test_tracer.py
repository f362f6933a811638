"""The cadence tracer as its reader has it, in JupyterLab: from the keyboard alone, by role and name, and by eye."""

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .conftest import THEMES, WIDTHS, Tracer, Watched, fits, type_over

# Every stop of the Tab key inside the app, in order: its role and its name.
STOPS = [
    ("button", "Both rules"),
    ("button", "Cron"),
    ("button", "Interval"),
    ("textbox", "Cron"),
    ("combobox", "Example"),
    ("button", "Random example"),
    ("combobox", "Time zone"),
    ("combobox", "Clock change"),
    ("slider", "Gap"),
    ("textbox", "Gap in minutes"),
    ("combobox", "Rail shows"),
    ("slider", "Clock"),
    ("button", "Back a step"),
    ("button", "On a step"),
    ("button", "On 1 ms"),
    ("button", "Play"),
    ("button", "To the cron slot"),
    ("button", "To the interval's run"),
    ("button", "Sweep"),
    ("button", "Start again"),
    ("group", "Picture"),
    ("group", "Next runs"),
]


def test_every_control_is_reached_by_tab_and_has_a_name(tracer: Tracer) -> None:
    inside = "() => document.activeElement.closest('.echomq-app') !== null"
    while not tracer.page.evaluate(inside):
        tracer.page.keyboard.press("Tab")
    for role, name in STOPS:
        expect(tracer.app.get_by_role(role, name=name, exact=True)).to_be_focused()  # type: ignore[arg-type]
        tracer.page.keyboard.press("Tab")
    assert not tracer.page.evaluate(inside)


# What the tracer can look like, one after the other.
STATES: dict[str, Callable[[Tracer], None]] = {
    "opened": lambda tracer: None,
    "lit": lambda tracer: tracer.button("Interval").press("Enter"),
    "wrong": lambda tracer: type_over(tracer.expr, "75 9 * * *"),
    "night": lambda tracer: tracer.choose("Clock change", "Lord Howe, half an hour comes twice"),
    "year": lambda tracer: tracer.choose("Rail shows", "1 year"),
}
# The colours of the picture's words and of the words around it.
INKS = """app => [
    getComputedStyle(app.querySelector(".echomq-scroll svg text")).fill,
    getComputedStyle(app.querySelector(".echomq-status")).color,
]"""


def test_axe_finds_nothing_and_all_fits_the_column(tracer: Tracer, eye: Watched) -> None:
    for theme in THEMES:
        for state, change in STATES.items():
            change(tracer)
            for width in WIDTHS:
                eye.look(theme, width)
                fits(tracer.app, f"tracer-{state}-{theme}-{width}")
                found = Axe().run(tracer.page, ".echomq-app")
                assert found.violations_count == 0, (state, theme, width, found.generate_report())
            picture, around = tracer.app.evaluate(INKS)
            assert picture == around, (state, theme)
        tracer.show()


def test_it_opens_on_the_verdicts_of_the_course(tracer: Tracer) -> None:
    expect(tracer.status).to_contain_text("cron 0 9 * * * (At 09:00 AM): next run 09:00, in 10 minutes")
    expect(tracer.status).to_contain_text("interval every_ms 900000 (every 15 minutes): next run 09:05, in 15 minutes")
    expect(tracer.app.get_by_role("img")).to_have_attribute("aria-label", re.compile("circles: 09:05, 09:20, 09:35"))
    expect(tracer.clock).to_have_attribute("aria-valuetext", "08:50")
    gap = tracer.x("interval-1") - tracer.x("interval-0")
    assert tracer.x("interval-2") - tracer.x("interval-1") == pytest.approx(gap, abs=1)
    assert tracer.x("cron-0") == pytest.approx(tracer.x("interval-0") - gap / 3, abs=1)
    assert tracer.x("now") == pytest.approx(tracer.x("interval-0") - gap, abs=1)
    assert tracer.hidden("cron-1")


def test_the_clock_moves_by_arrow_keys_and_the_marks_with_it(tracer: Tracer) -> None:
    now, slot, run = tracer.x("now"), tracer.x("cron-0"), tracer.x("interval-0")
    minute = (slot - now) / 10
    for presses in range(1, 11):
        tracer.clock.press("ArrowRight")
        expect(tracer.clock).to_have_attribute("aria-valuetext", "09:00" if presses == 10 else f"08:{50 + presses}")
    assert tracer.x("now") == pytest.approx(now + 10 * minute, abs=1)
    assert tracer.x("interval-0") == run
    expect(tracer.status).to_contain_text("next run 09:00, now")
    tracer.clock.press("ArrowRight")
    # Past its slot, the rule names tomorrow's: the mark leaves the rail.
    expect(tracer.status).to_contain_text("next run Tue 6 Jan 09:00")
    assert tracer.hidden("cron-0")
    tracer.clock.press("Home")
    expect(tracer.clock).to_have_attribute("aria-valuetext", "08:40")
    assert tracer.x("cron-0") == slot


def test_the_gap_moves_by_arrow_keys_and_the_marks_with_it(tracer: Tracer) -> None:
    now, first = tracer.x("now"), tracer.x("interval-0")
    tracer.gap.press("ArrowLeft")
    expect(tracer.status).to_contain_text("every_ms 840000 (every 14 minutes): next run 09:04")
    expect(tracer.gap).to_have_attribute("aria-valuetext", "14 minutes")
    assert tracer.x("interval-0") - now == pytest.approx((first - now) * 14 / 15, abs=1)


def test_a_typed_expression_changes_marks_sentence_and_readout(tracer: Tracer) -> None:
    before = tracer.x("cron-0")
    type_over(tracer.expr, "30 9 * * *")
    expect(tracer.status).to_contain_text("cron 30 9 * * * (At 09:30 AM): next run 09:30, in 40 minutes")
    expect(tracer.app.get_by_role("row").nth(1)).to_contain_text("2026-01-05T09:30:00.000Z")
    expect(tracer.app.get_by_role("row").nth(1)).to_contain_text("1767605400000")
    assert tracer.x("cron-0") - before == pytest.approx(2 * (tracer.x("interval-1") - tracer.x("interval-0")), abs=1)


def test_a_wrong_expression_shows_its_caret_and_its_repair_works(tracer: Tracer) -> None:
    before = tracer.x("cron-0")
    expect(tracer.expr).to_have_attribute("aria-invalid", "false")
    type_over(tracer.expr, "75 9 * * *")
    problem = tracer.app.locator(".echomq-fault")
    expect(problem).to_have_text(
        "minute '75' is out of range in '75 9 * * *'\n"
        "                                ^^\n"
        "minutes run from 0 to 59; did you mean '15 9 * * *'?"
    )
    expect(tracer.status).to_contain_text("minute '75' is out of range")
    expect(tracer.expr).to_have_attribute("aria-invalid", "true")
    assert tracer.x("cron-0") == before
    tracer.button("Use 15 9 * * *").press("Enter")
    expect(problem).to_have_count(0)
    expect(tracer.expr).to_have_value("15 9 * * *")
    expect(tracer.expr).to_have_attribute("aria-invalid", "false")
    expect(tracer.status).to_contain_text("next run 09:15")
    # The button is gone, and the reader is back at the box.
    expect(tracer.expr).to_be_focused()


def test_a_caret_stands_under_its_token(tracer: Tracer) -> None:
    type_over(tracer.expr, "75 9 * * *")
    shown = tracer.app.locator(".echomq-fault")
    expect(shown).to_have_css("white-space", "pre")
    expect(shown).to_have_css("font-family", re.compile("monospace"))


@pytest.mark.parametrize(
    ("name", "key", "said"),
    [
        ("To the cron slot", "Enter", "cron 0 9 * * * (At 09:00 AM): next run 09:00, now"),
        ("To the interval's run", "Space", "next run 09:05, now, the previous run plus the gap, due"),
        ("On a step", "Enter", "next run 09:00, in 9 minutes"),
        ("Back a step", "Enter", "next run 09:00, in 11 minutes"),
        ("On 1 ms", "Space", "in 9 minutes 59 seconds 999 milliseconds"),
        ("Sweep", "Enter", "The sweep fired 0. Nothing was due."),
        ("Start again", "Enter", "next run 09:00, in 10 minutes"),
    ],
)
def test_buttons_work_from_the_keyboard(tracer: Tracer, name: str, key: str, said: str) -> None:
    tracer.button(name).press(key)
    expect(tracer.status).to_contain_text(said)


@pytest.mark.parametrize(
    ("name", "choice", "said"),
    [
        ("Example", "weekdays at 08:30", "next run Tue 6 Jan 08:30"),
        ("Clock change", "Berlin, 02:00 to 03:00 is skipped", "next run Mon 30 Mar 02:30 in Europe/Berlin"),
        ("Rail shows", "1 week", "next run 09:00"),
    ],
)
def test_lists_work_by_their_options(tracer: Tracer, name: str, choice: str, said: str) -> None:
    tracer.choose(name, choice)
    expect(tracer.status).to_contain_text(said)


@pytest.mark.parametrize(
    ("name", "presses", "value"), [("Example", 2, "every 15 minutes, by the clock"), ("Rail shows", 1, "1 day")]
)
def test_arrow_keys_choose_from_a_list_and_not_among_the_cells(
    tracer: Tracer, name: str, presses: int, value: str
) -> None:
    chosen = tracer.app.get_by_role("combobox", name=name, exact=True)
    for _ in range(presses):
        chosen.press("ArrowDown")
    expect(chosen.locator("option:checked")).to_have_text(value)
    expect(chosen).to_be_focused()


def test_the_notebook_takes_no_key_from_a_control(tracer: Tracer) -> None:
    # Notebook 7 looks for its shortcuts before a control hears of a key; JupyterLab looks after it.
    for role, name in STOPS:
        control = tracer.app.get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]
        expect(control).to_have_attribute("data-lm-suppress-shortcuts", "true")


def test_a_rule_is_selected_and_says_so(tracer: Tracer) -> None:
    tracer.button("Interval").press("Enter")
    for name, pressed in {"Both rules": "false", "Cron": "false", "Interval": "true"}.items():
        expect(tracer.button(name)).to_have_attribute("aria-pressed", pressed)
    expect(tracer.app.locator("[id$='-interval-title']")).to_contain_text("▶")
    expect(tracer.app.locator("[id$='-interval-band']")).to_be_visible()
    expect(tracer.app.locator("[id$='-cron-band']")).to_be_hidden()
    expect(tracer.app.get_by_role("row")).to_have_count(1 + 5)


def test_a_zone_is_typed(tracer: Tracer) -> None:
    zone = tracer.app.get_by_role("combobox", name="Time zone", exact=True)
    type_over(zone, "Asia/Tokio")
    zone.press("Enter")
    expect(tracer.app.locator(".echomq-fault")).to_contain_text("Asia/Tokyo")
    type_over(zone, "Asia/Tokyo")
    zone.press("Enter")
    expect(tracer.status).to_contain_text("in Asia/Tokyo")
    expect(tracer.app.locator(".echomq-fault")).to_have_count(0)


def test_a_drag_ends_on_the_right_value(tracer: Tracer) -> None:
    track = tracer.app.locator(".echomq-clock .noUi-base").bounding_box()
    handle = tracer.clock.bounding_box()
    assert track is not None
    assert handle is not None
    mouse = tracer.page.mouse
    mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    mouse.down()
    mouse.move(track["x"] + track["width"] / 2, handle["y"] + handle["height"] / 2, steps=25)
    mouse.up()
    minutes = int(float(tracer.clock.get_attribute("aria-valuenow") or "nan"))
    assert minutes == pytest.approx(60, abs=1)
    told = f"{8 + (40 + minutes) // 60:02}:{(40 + minutes) % 60:02}"
    expect(tracer.clock).to_have_attribute("aria-valuetext", told)
    expect(tracer.app.locator("[id$='-now-label']")).to_have_text(f"now {told}")
    assert f"now is Monday 5 January 2026, {told} UTC" in tracer.kernel("tell")


def test_the_status_is_one_node_over_forty_updates(tracer: Tracer) -> None:
    node = tracer.status.element_handle()
    for step in range(1, 41):
        tracer.clock.press("ArrowRight")
        expect(tracer.clock).to_have_attribute("aria-valuenow", re.compile(rf"{10 + step}(\.0)?"))
    expect(tracer.clock).to_have_attribute("aria-valuetext", "09:30")
    expect(tracer.status).to_contain_text("next run 09:05, 25 minutes ago")
    assert tracer.status.evaluate("(now, before) => now === before", node)


def test_play_ticks_and_stops(tracer: Tracer) -> None:
    play = tracer.button("Play")
    play.press("Enter")
    expect(play).to_have_attribute("aria-pressed", "true")
    expect(tracer.clock).to_have_attribute("aria-valuetext", re.compile("08:5[2-9]"))
    play.press("Enter")
    expect(play).to_have_attribute("aria-pressed", "false")
    tracer.page.wait_for_function("() => beats.size === 0")


def test_play_stops_when_the_app_is_closed(tracer: Tracer) -> None:
    tracer.button("Play").press("Enter")
    tracer.page.wait_for_function("() => beats.size === 1")
    tracer.kernel("dismiss")
    tracer.page.wait_for_function("() => beats.size === 0")


def test_ten_runs_of_the_cell_leave_one_live_app(tracer: Tracer) -> None:
    comms = int(tracer.kernel("comms"))
    for _ in range(10):
        tracer.show()
    assert int(tracer.kernel("comms")) == comms
    expect(tracer.app).to_have_count(1)
    tracer.clock.press("ArrowRight")
    expect(tracer.clock).to_have_attribute("aria-valuetext", "08:51")
    tracer.kernel("dismiss")
    assert int(tracer.kernel("comms")) <= 1
