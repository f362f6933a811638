"""One sweep, on both stores: what fires, what moves, and every edge of the wire contract on the way."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from echomq_lab import jobs, pump, repeat, scripts
from echomq_lab.errors import ArgumentError, ReplyError, StoreError
from echomq_lab.keyspace import queue_key, record_key, registry_key
from echomq_lab.store import Connection
from echomq_lab.trace import keys_of

EIGHT_FIFTY = 1_767_603_000_000
MINUTE, QUARTER, HOUR = 60_000, 900_000, 3_600_000


def held(conn: Connection) -> dict[str, Any]:
    """What the queue's keys hold, by the part after `emq:{reports}:`."""
    prefix = "emq:{reports}:"
    return {key.removeprefix(prefix): value for key, value in keys_of(conn.client, prefix).items()}


def scores(conn: Connection) -> dict[str, int]:
    return dict(held(conn).get("repeat", []))


def payloads(conn: Connection) -> list[str]:
    """The payloads of the pending jobs, oldest mint first."""
    keys = held(conn)
    return [keys[f"job:{job_id}"]["payload"] for job_id, _ in keys.get("pending", [])]


def register(conn: Connection, *names: str, every_ms: int = QUARTER) -> None:
    for name in names:
        repeat.register(conn, "reports", name, every_ms, name)


def break_record(conn: Connection, name: str, every_ms: str) -> None:
    conn.send("HSET", record_key("reports", name), "every_ms", every_ms)


# ------------------------------------------------------------------------------------------------ a sweep that works


def test_a_sweep_of_nothing(conn: Connection) -> None:
    assert pump.sweep(conn, "reports") == pump.Sweep(promoted=0, fired=0, swept=0, broken=[])
    assert held(conn) == {}


def test_a_due_registration_becomes_a_job_and_moves_on(conn: Connection) -> None:
    register(conn, "daily")
    assert pump.sweep(conn, "reports") == pump.Sweep(promoted=0, fired=1, swept=0, broken=[])
    (job_id,) = jobs.browse(conn, "reports", 10)
    assert held(conn) == {
        "repeat": [["daily", EIGHT_FIFTY + QUARTER]],
        "repeat:daily": {"every_ms": "900000", "template": "daily"},
        "pending": [[job_id, 0]],
        f"job:{job_id}": {"attempts": "0", "payload": "daily", "state": "pending"},
    }
    assert pump.sweep(conn, "reports") == pump.Sweep(0, 0, 0, [])


def test_every_occurrence_is_a_job_of_its_own_in_mint_order(conn: Connection) -> None:
    register(conn, "daily")
    for _ in range(5):
        assert pump.sweep(conn, "reports").fired == 1
        conn.clock.advance(QUARTER)
    minted = jobs.browse(conn, "reports", 10)
    assert len(set(minted)) == 5
    assert minted == sorted(minted, reverse=True)


def test_one_shot_jobs_are_promoted_first(conn: Connection) -> None:
    one_shot = conn.mint()
    jobs.enqueue_in(conn, "reports", one_shot, "one-shot", MINUTE)
    register(conn, "daily")
    conn.clock.advance(MINUTE)
    assert pump.sweep(conn, "reports") == pump.Sweep(promoted=1, fired=1, swept=0, broken=[])
    assert payloads(conn) == ["one-shot", "daily"]


def test_an_hours_outage_fires_once_and_moves_the_beat(conn: Connection) -> None:
    """Four periods were missed: one occurrence, and the next run is this release plus fifteen minutes."""
    register(conn, "daily")
    conn.clock.advance(HOUR + 3 * MINUTE)
    assert pump.sweep(conn, "reports").fired == 1
    assert scores(conn) == {"daily": EIGHT_FIFTY + HOUR + 3 * MINUTE + QUARTER}
    assert pump.sweep(conn, "reports").fired == 0


def test_lateness_adds_up_release_by_release(conn: Connection) -> None:
    register(conn, "daily")
    for late in (0, 400, 400):
        conn.clock.set(scores(conn)["daily"] + late)
        pump.sweep(conn, "reports")
    assert scores(conn) == {"daily": EIGHT_FIFTY + 3 * QUARTER + 800}


def test_a_period_of_one_millisecond_fires_once_a_sweep(conn: Connection) -> None:
    register(conn, "fast", every_ms=1)
    fired = []
    for span in (0, 1, 30, 0):
        conn.clock.advance(span)
        fired.append(pump.sweep(conn, "reports").fired)
    assert fired == [1, 1, 1, 0]


def test_ties_fire_by_the_bytes_of_the_name(conn: Connection) -> None:
    register(conn, "b", "é", "a", "B", "10", "9")
    pump.sweep(conn, "reports")
    assert payloads(conn) == ["10", "9", "B", "a", "b", "é"]


def test_the_batch_bounds_promotions_and_registrations_each(conn: Connection) -> None:
    for at in range(5):
        jobs.enqueue_at(conn, "reports", conn.mint(), "x", at)
        conn.send("ZADD", registry_key("reports"), 5 - at, f"n{at}")
        conn.send("HSET", record_key("reports", f"n{at}"), "every_ms", QUARTER, "template", f"n{at}")
    answers = [pump.sweep(conn, "reports", 2) for _ in range(4)]
    assert [(each.promoted, each.fired) for each in answers] == [(2, 2), (2, 2), (1, 1), (0, 0)]
    assert [each for each in payloads(conn) if each != "x"] == ["n4", "n3", "n2", "n1", "n0"]


def test_the_batch_is_a_hundred_unless_told(conn: Connection) -> None:
    register(conn, *(f"n{at:03}" for at in range(101)))
    assert [pump.sweep(conn, "reports").fired for _ in range(2)] == [100, 1]


@pytest.mark.parametrize("batch", [0, -1, 2**63, True, 1.0, "100", None], ids=ascii)
def test_another_batch_is_refused_before_anything_is_sent(conn: Connection, batch: object) -> None:
    register(conn, "daily")
    before = held(conn)
    with pytest.raises(ArgumentError, match=r"^batch must be a whole number from 1"):
        pump.sweep(conn, "reports", batch)
    assert held(conn) == before


def test_the_answer_is_three_ints_and_a_list_of_names(conn: Connection) -> None:
    register(conn, "daily")
    answer = pump.sweep(conn, "reports")
    assert [type(each) for each in (answer.promoted, answer.fired, answer.swept, answer.broken)] == [
        int,
        int,
        int,
        list,
    ]


# ------------------------------------------------------------------------------------ dangling and broken registrations


@pytest.mark.parametrize("lost", [["every_ms", "template"], ["every_ms"], ["template"]], ids="+".join)
def test_a_name_whose_record_lacks_a_field_is_swept_with_its_record(conn: Connection, lost: list[str]) -> None:
    register(conn, "dangling", "live")
    conn.send("HDEL", record_key("reports", "dangling"), *lost)
    assert pump.sweep(conn, "reports") == pump.Sweep(promoted=0, fired=1, swept=1, broken=[])
    assert scores(conn) == {"live": EIGHT_FIFTY + QUARTER}
    assert "repeat:dangling" not in held(conn)
    assert payloads(conn) == ["live"]


BAD_PERIODS = [
    "",
    "soon",
    "0",
    "-5",
    "+0",
    "5e3",
    "5.0",
    " 5000",
    "5000 ",
    "5000\n",
    "\u0665",
    "0x10",
    str(2**53),
    "9" * 400,
]


@pytest.mark.parametrize("every_ms", BAD_PERIODS, ids=lambda text: ascii(text[:20]))
def test_a_bad_period_is_reported_and_nothing_is_enqueued_for_it(conn: Connection, every_ms: str) -> None:
    register(conn, "a", "bad", "z")
    break_record(conn, "bad", every_ms)
    before = held(conn)
    assert pump.sweep(conn, "reports") == pump.Sweep(promoted=0, fired=2, swept=0, broken=["bad"])
    assert payloads(conn) == ["a", "z"]
    assert scores(conn)["bad"] == EIGHT_FIFTY
    assert held(conn)["repeat:bad"] == before["repeat:bad"]
    assert pump.sweep(conn, "reports") == pump.Sweep(0, 0, 0, ["bad"])


@pytest.mark.parametrize(
    ("every_ms", "period"), [("5000", 5000), ("+5000", 5000), ("0005000", 5000), ("1", 1), (str(2**53 - 1), 2**53 - 1)]
)
def test_a_period_that_echomq_reads_is_read(conn: Connection, every_ms: str, period: int) -> None:
    register(conn, "odd")
    break_record(conn, "odd", every_ms)
    assert pump.sweep(conn, "reports") == pump.Sweep(0, 1, 0, [])
    assert scores(conn) == {"odd": pytest.approx(EIGHT_FIFTY + period)}


@pytest.mark.parametrize(
    "command", [["SET", "x"], ["RPUSH", "x"], ["SADD", "x"], ["ZADD", 1, "x"]], ids=lambda words: words[0]
)
def test_a_record_of_another_type_is_reported(conn: Connection, command: list[Any]) -> None:
    register(conn, "a", "bad", "z")
    key = record_key("reports", "bad")
    conn.send("DEL", key)
    conn.send(command[0], key, *command[1:])
    assert pump.sweep(conn, "reports") == pump.Sweep(promoted=0, fired=2, swept=0, broken=["bad"])
    assert str(repeat.cancel(conn, "reports", "bad")) == "cancelled"
    assert pump.sweep(conn, "reports").broken == []


def test_broken_names_take_their_place_in_the_batch(conn: Connection) -> None:
    """They stay due, so a batch that is full of them leaves the rest waiting."""
    register(conn, "bad1", "bad2", "good")
    for name in ("bad1", "bad2"):
        break_record(conn, name, "soon")
    assert [pump.sweep(conn, "reports", batch).fired for batch in (2, 2, 3)] == [0, 0, 1]


# --------------------------------------------------------------------------------- errors of the server, one at a time


def test_a_registry_of_another_type_is_raised(conn: Connection) -> None:
    conn.send("SET", registry_key("reports"), "x")
    with pytest.raises(ReplyError, match=r"^WRONGTYPE "):
        pump.sweep(conn, "reports")


def test_a_schedule_of_another_type_promotes_nothing_and_the_rest_goes_on(
    conn: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    register(conn, "daily")
    conn.send("SET", queue_key("reports", "schedule"), "x")
    with caplog.at_level(logging.WARNING):
        assert pump.sweep(conn, "reports") == pump.Sweep(promoted=0, fired=1, swept=0, broken=[])
    assert [record.message.partition(": WRONGTYPE")[0] for record in caplog.records] == ["queue reports: not_promoted"]


def test_an_occurrence_that_the_server_refuses_is_logged_and_still_due(
    conn: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    register(conn, "daily")
    conn.send("SET", queue_key("reports", "pending"), "x")
    with caplog.at_level(logging.WARNING):
        assert pump.sweep(conn, "reports") == pump.Sweep(0, 0, 0, [])
    assert "queue reports: not_fired: name daily, WRONGTYPE" in caplog.text
    assert scores(conn) == {"daily": EIGHT_FIFTY}
    conn.send("DEL", queue_key("reports", "pending"))
    assert pump.sweep(conn, "reports").fired == 1


def test_each_occurrence_stands_alone(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server refuses one of three: the other two fire, the one stays due."""
    register(conn, "a", "b", "c")
    enqueue = jobs.enqueue

    def refusing_b(conn: Connection, queue: str, job_id: str, payload: str) -> jobs.Enqueued:
        if payload == "b":
            raise ReplyError("OOM command not allowed when used memory > 'maxmemory'.")
        return enqueue(conn, queue, job_id, payload)

    monkeypatch.setattr(jobs, "enqueue", refusing_b)
    assert pump.sweep(conn, "reports").fired == 2
    monkeypatch.undo()
    assert payloads(conn) == ["a", "c"]
    assert pump.sweep(conn, "reports").fired == 1


# ------------------------------------------------------------------------------------------- in the middle of a sweep


Hook = Callable[[Connection, Sequence[Any]], None]


def before_script(monkeypatch: pytest.MonkeyPatch, name: str, hook: Hook) -> None:
    """Call `hook` once, just before the sweep runs the script `name`."""
    run = scripts.run

    def hooked(conn: Connection, script: str, keys: Sequence[str], args: Sequence[Any]) -> Any:
        if script == name:
            monkeypatch.setattr(scripts, "run", run)
            hook(conn, args)
        return run(conn, script, keys, args)

    monkeypatch.setattr(scripts, "run", hooked)


@pytest.mark.parametrize("moment", ["enqueue", "advance"])
def test_a_registration_cancelled_after_it_was_read_runs_once_more(
    conn: Connection, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    register(conn, "daily")
    before_script(monkeypatch, moment, lambda conn, _: repeat.cancel(conn, "reports", "daily"))
    assert pump.sweep(conn, "reports") == pump.Sweep(promoted=0, fired=1, swept=0, broken=[])
    assert payloads(conn) == ["daily"]
    assert scores(conn) == {}
    conn.clock.advance(HOUR)
    assert pump.sweep(conn, "reports").fired == 0


def test_a_registration_cancelled_and_registered_again_mid_sweep_takes_the_old_period(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(conn, "daily")

    def again(conn: Connection, _: Sequence[Any]) -> None:
        repeat.cancel(conn, "reports", "daily")
        repeat.register(conn, "reports", "daily", HOUR, "new", HOUR)

    before_script(monkeypatch, "enqueue", again)
    assert pump.sweep(conn, "reports").fired == 1
    assert scores(conn) == {"daily": EIGHT_FIFTY + QUARTER}
    assert held(conn)["repeat:daily"] == {"every_ms": "3600000", "template": "new"}


def cut(conn: Connection, _: Sequence[Any]) -> None:
    raise StoreError("the line was lost")


def test_a_cut_between_enqueue_and_advance_makes_the_occurrence_run_twice(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At least once: never zero times, and the second time under a fresh id."""
    register(conn, "daily")
    before_script(monkeypatch, "advance", cut)
    with pytest.raises(StoreError):
        pump.sweep(conn, "reports")
    assert (payloads(conn), scores(conn)) == (["daily"], {"daily": EIGHT_FIFTY})
    assert pump.sweep(conn, "reports").fired == 1
    assert len(set(jobs.browse(conn, "reports", 10))) == 2
    assert (payloads(conn), scores(conn)) == (["daily", "daily"], {"daily": EIGHT_FIFTY + QUARTER})


def test_a_cut_before_enqueue_loses_nothing(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    register(conn, "daily")
    before_script(monkeypatch, "enqueue", cut)
    with pytest.raises(StoreError):
        pump.sweep(conn, "reports")
    assert (payloads(conn), scores(conn)) == ([], {"daily": EIGHT_FIFTY})
    assert pump.sweep(conn, "reports").fired == 1
    assert payloads(conn) == ["daily"]


def test_two_pumps_that_read_before_either_advances_fire_twice(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(conn, "daily")
    other: list[pump.Sweep] = []
    before_script(monkeypatch, "enqueue", lambda conn, _: other.append(pump.sweep(conn, "reports")))
    assert [pump.sweep(conn, "reports").fired, other[0].fired] == [1, 1]
    assert payloads(conn) == ["daily", "daily"]


def test_a_row_that_is_there_already_counts_as_fired(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """EchoMQ counts a name when both replies are no error; a duplicate is one such reply."""
    register(conn, "daily")
    before_script(
        monkeypatch,
        "enqueue",
        lambda conn, args: conn.send("HSET", f"emq:{{reports}}:job:{args[0]}", "state", "active"),
    )
    assert pump.sweep(conn, "reports").fired == 1
    assert payloads(conn) == []
    assert scores(conn) == {"daily": EIGHT_FIFTY + QUARTER}
