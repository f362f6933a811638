"""What is stored and what ran, in words: half states, strangers' names, and nothing left out of the text."""

import re
from collections.abc import Callable
from html import unescape

import pytest

from echomq_lab import figures, pump, readout, repeat, scenario, trace
from echomq_lab.cadence import Cron, Interval
from echomq_lab.clock import MAX_MS, FixedClock
from echomq_lab.embedded import EmbeddedServer
from echomq_lab.errors import ArgumentError, ReplyError, StoreError
from echomq_lab.keyspace import record_key, registry_key
from echomq_lab.store import Connection, connect
from echomq_lab.wording import clock_time, relative, span, visible

REGISTRY = registry_key("reports")


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", html))


def test_the_registry_tells_name_time_wait_score_period_and_template(conn: Connection) -> None:
    repeat.register(conn, "reports", "visits", 900_000, '{"report": "visits"}', 900_000)
    assert str(readout.registry(conn, "reports")).split("\n") == [
        "Registry emq:{reports}:repeat at Monday 5 January 2026, 08:50:00.000 UTC: 1 entry",
        "  name    next run (UTC)  in how long    score (Unix ms)  every_ms             template",
        "  ------  --------------  -------------  ---------------  -------------------  --------------------",
        '  visits  09:05           in 15 minutes  1767603900000    900000 (15 minutes)  {"report": "visits"}',
    ]


@pytest.mark.parametrize(
    ("score", "record", "told"),
    [
        ("1767603600000", None, ("09:00", "in 10 minutes", "1767603600000", "no record", "no record")),
        ("1767603000000", {"every_ms": "1", "template": ""}, ("08:50", "due now", "", "1 (1 millisecond)", "")),
        ("1767602999000", {"template": "{}"}, ("08:49:59", "due since 1 second", "", "no every_ms", "{}")),
        (
            "1767516600000",
            {"every_ms": "x"},
            ("Sun 4 Jan 08:50", "due since 1 day", "", "x (no period)", "no template"),
        ),
        ("-inf", {"every_ms": "0"}, ("outside the calendar", "due", "-inf", "0 (no period)", "no template")),
        ("1.5", {"every_ms": "-1"}, ("outside the calendar", "due", "1.5", "-1 (no period)", "no template")),
        ("1e18", {"every_ms": "9" * 30}, ("outside the calendar", "not due", "", "no period", "no template")),
        (None, {"every_ms": "1000"}, ("not in the registry", "never", "none", "1000 (1 second)", "no template")),
    ],
)
def test_half_states_are_told_in_words(
    conn: Connection, score: str | None, record: dict[str, str] | None, told: tuple[str, ...]
) -> None:
    if score is not None:
        conn.send("ZADD", REGISTRY, score, "half")
    for field, value in (record or {}).items():
        conn.send("HSET", record_key("reports", "half"), field, value)
    (row,) = readout.registry(conn, "reports").rows
    assert row[0] == "half"
    for cell, wanted in zip(row[1:], told, strict=True):
        assert wanted in cell


def test_a_key_of_another_type_is_told(conn: Connection) -> None:
    conn.send("ZADD", REGISTRY, 1, "odd")
    conn.send("SET", record_key("reports", "odd"), "text")
    assert readout.registry(conn, "reports").rows[0][4] == "the record is no hash"
    conn.send("SET", REGISTRY, "text")
    with pytest.raises(ReplyError, match="WRONGTYPE"):
        readout.registry(conn, "reports")
    assert ("emq:{reports}:repeat", "string", "text") in readout.keys(conn, "reports").rows


NAMES = [
    "<b>bold</b>",
    "a&b",
    '"><script>',
    "two\nlines",
    "\x1b[31mred",
    "\u202eright to left",
    b"\xff".decode("utf-8", "surrogateescape"),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_strangers_name_is_one_escaped_line(conn: Connection, name: str) -> None:
    with trace.record(conn, "reports") as run:
        repeat.register(conn, "reports", name, 900_000, name)
    tables = [
        readout.registry(conn, "reports"),
        readout.keys(conn, "reports"),
        readout.rewrites(run),
        readout.steps(run),
    ]
    for table in tables:
        html, text = table._repr_html_(), str(table)
        assert visible(name) in text
        assert visible(name) in text_of(html)
        assert not re.search(r"<(b|script)>", html)
        assert all(char.isprintable() for char in text.replace("\n", ""))
        text.encode()


def test_a_table_is_one_that_a_screen_reader_can_read(conn: Connection) -> None:
    repeat.register(conn, "reports", "visits", 900_000, "{}")
    table = readout.registry(conn, "reports")
    html = table._repr_html_()
    assert html.count('<th scope="col"') == len(table.columns)
    assert html.count('<th scope="row"') == len(table.rows)
    assert html.index("<caption") < html.index("<thead>")
    assert "color" not in html
    for cell in (table.caption, *table.columns, *table.rows[0]):
        assert cell in text_of(html)
        assert cell in str(table)


def test_an_empty_queue_is_told(conn: Connection) -> None:
    table = readout.registry(conn, "reports")
    assert table.caption.endswith("no entries")
    assert "(nothing)" in str(table)
    assert "(nothing)" in table._repr_html_()


def test_looking_is_never_part_of_a_trace_and_changes_nothing(conn: Connection) -> None:
    repeat.register(conn, "reports", "visits", 900_000, "{}")
    before = trace.keys_of(conn.client, "emq:")
    with trace.record(conn, "reports") as run:
        readout.registry(conn, "reports")
        readout.keys(conn, "reports")
    assert run.steps == []
    assert trace.keys_of(conn.client, "emq:") == before


def test_the_text_has_all_that_the_picture_shows(conn: Connection) -> None:
    run = scenario.cadences(conn, "rules", cron=Cron("0 9 * * *", "Europe/Berlin"), every_ms=900_000, runs=4)
    picture = figures.rail(run)
    text = str(readout.marks(run))
    for lane in run.lanes:
        assert lane.source in text
        assert f"{lane.kind} {lane.rule}" in text
        for mark in lane.marks_ms:
            assert f"{clock_time(mark, lane.tz, seen_from_ms=run.now_ms)} {lane.tz}" in text
            assert relative(mark, run.now_ms) in text
            assert str(mark) in text
    assert clock_time(run.now_ms) in picture.alt
    assert clock_time(run.now_ms) in text


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ("08:50", ("2026-01-05 08:50:00.000", "09:00", "in 10 minutes", "2026-01-05T09:00:00.000Z", "1767603600000")),
        ("09:00:00.000", ("2026-01-05 09:00:00.000", "09:00", "now", "2026-01-05T09:00:00.000Z", "1767603600000")),
        (
            "09:00:00.001",
            (
                "2026-01-05 09:00:00.001",
                "Tue 6 Jan 09:00",
                "in 23 hours 59 minutes 59 seconds 999 milliseconds",
                "2026-01-06T09:00:00.000Z",
                "1767690000000",
            ),
        ),
    ],
)
def test_next_runs_of_a_slot(now: str, told: tuple[str, ...]) -> None:
    assert readout.next_runs(Cron("0 9 * * *"), now).rows == (told,)


def test_next_runs_are_told_in_the_rules_zone() -> None:
    table = readout.next_runs(Cron("0 9 * * *", "Europe/Berlin"), "2026-03-28T08:00:01Z")
    assert table.columns[:2] == ("now (Europe/Berlin)", "next run (Europe/Berlin)")
    assert table.rows[0][:2] == ("2026-03-28 09:00:01.000", "Sun 29 Mar 09:00")
    assert table.rows[0][3] == "2026-03-29T09:00:00.000+02:00"
    assert readout.next_runs(Interval(900_000), "08:50").rows[0][1] == "09:05"


def test_rewrites_tell_who_moved_an_entry_from_where_to_where(conn: Connection) -> None:
    assert isinstance(conn.clock, FixedClock)
    with trace.record(conn, "reports") as run:
        repeat.register(conn, "reports", "visits", 900_000, "{}", 900_000)
        conn.clock.set("09:20:40")
        pump.sweep(conn, "reports")
        repeat.cancel(conn, "reports", "visits")
    assert readout.rewrites(run).rows == (
        ("08:50:00.000", "register", "visits", "(no entry)", "1767603900000 (09:05)"),
        ("09:20:40.000", "advance", "visits", "1767603900000 (09:05)", "1767605740000 (09:35:40)"),
        ("09:20:40.000", "cancel", "visits", "1767605740000 (09:35:40)", "(no entry)"),
    )


def test_steps_tell_command_calls_reply_and_changes(conn: Connection) -> None:
    with trace.record(conn, "reports") as run:
        repeat.register(conn, "reports", "visits", 900_000, "{}", 900_000)
        repeat.register(conn, "reports", "visits", 1, "{}")
        with pytest.raises(ReplyError):
            conn.send("HSET", REGISTRY, "a", "b")
        repeat.due(conn, "reports", 5)
    fresh, again, wrong, due = readout.steps(run).rows
    assert fresh[1].split("\n")[0] == "EVALSHA register.lua"
    assert fresh[1].split("\n")[-1] == "ARGV[4] 1767603900000"
    assert fresh[2].split("\n") == [
        "EXISTS emq:{reports}:repeat:visits",
        "HSET emq:{reports}:repeat:visits every_ms 900000 template {}",
        "ZADD emq:{reports}:repeat 1767603900000 visits",
    ]
    assert fresh[3] == "1"
    assert "before: (no key)\n  after: visits = 1767603900000" in fresh[4]
    assert again[2:] == ("EXISTS emq:{reports}:repeat:visits", "0", "nothing")
    assert wrong[3].startswith("error: WRONGTYPE")
    assert due[1:] == (
        "ZRANGEBYSCORE emq:{reports}:repeat -inf 1767603000000 LIMIT 0 5",
        "(no script)",
        "[]",
        "nothing",
    )
    text = str(readout.steps(run))
    assert all(line in text for row in readout.steps(run).rows for cell in row for line in cell.split("\n"))


@pytest.mark.parametrize(
    ("ms", "told"),
    [
        (1, "1 millisecond"),
        (900_000, "15 minutes"),
        (5_400_000, "1 hour 30 minutes"),
        (86_400_001, "1 day 1 millisecond"),
    ],
)
def test_a_span_is_exact(ms: int, told: str) -> None:
    assert span(ms) == told


def test_a_long_template_is_cut_and_its_length_told() -> None:
    assert visible("x" * 61, 60) == "x" * 60 + "... (61 characters)"
    assert visible("x" * 60, 60) == "x" * 60


def test_a_wide_table_is_told_row_by_row() -> None:
    with connect("embedded://fakeredis", clock=FixedClock("08:50")) as conn:
        repeat.register(conn, "q" * 90, "visits", 1, "{}")
        lines = str(readout.keys(conn, "q" * 90)).split("\n")
    assert lines[1] == f"  key    emq:{{{'q' * 90}}}:repeat"
    assert lines[2] == "  type   sorted set"


def test_an_instant_that_a_zone_cannot_show_is_refused() -> None:
    with pytest.raises(ArgumentError, match="one that a clock in Asia/Tokyo can show"):
        clock_time(MAX_MS, "Asia/Tokyo")
    assert clock_time(MAX_MS) == "23:59:59.999"


@pytest.mark.parametrize("wrong", [None, "reports"])
@pytest.mark.parametrize("tell", [readout.registry, readout.keys, readout.pending], ids=lambda tell: tell.__name__)
def test_a_store_is_told_from_a_connection(conn: Connection, tell: Callable[..., object], wrong: object) -> None:
    with pytest.raises(ArgumentError, match=r"^conn must be a connection, not .*; make one with conn = connect\(\)$"):
        tell(wrong, conn)


@pytest.mark.parametrize("tell", [readout.registry, readout.keys, readout.pending], ids=lambda tell: tell.__name__)
def test_a_server_that_is_gone_is_told(tell: Callable[..., object]) -> None:
    server = EmbeddedServer()
    with connect(server.url, clock=FixedClock()) as conn:
        server.stop()
        with pytest.raises(StoreError, match=r"^the line to .* was lost"):
            tell(conn, "reports")


def test_a_slip_of_a_reader_is_answered_with_a_hint(conn: Connection) -> None:
    run = scenario.cadences(conn, "rules", cron=Cron("0 9 * * *"), every_ms=900_000)
    for of_trace in (readout.steps, readout.rewrites):
        with pytest.raises(ArgumentError, match=r"^trace must be a trace, not .*CadenceRun.*; try run.trace$"):
            of_trace(run)
    for of_run in (readout.marks, readout.verdicts):
        with pytest.raises(ArgumentError, match=r"^run must be a run of two rules, not .*Trace.*; try run = scenario."):
            of_run(run.trace)
    told = r"^rule must be a Cron or an Interval, not '0 9 \* \* \*'; try Cron\('0 9 \* \* \*'\)$"
    with pytest.raises(ArgumentError, match=told):
        readout.next_runs("0 9 * * *", "08:50")
    with pytest.raises(ArgumentError, match=r"^most must be "):
        readout.pending(conn, "rules", None)
